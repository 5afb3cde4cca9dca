INSERT INTO sales (order_id, product) VALUES (1, 'milk');
INSERT INTO sales (order_id, product) VALUES (1, 'bread');
