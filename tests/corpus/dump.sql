-- MySQL dump 10.13

CREATE TABLE `sales` (`order_id` int, `product` text);
INSERT INTO `sales` VALUES (1,'milk'),(1,'bread'),(2,'milk');
