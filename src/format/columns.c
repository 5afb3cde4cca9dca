/* columns.c - see columns.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "format/columns.h"

static const char *const columns_transaction_names[] = {
    "tid",        "transaction", "transaction_id", "transactionid", "transaction id",
    "order",      "order_id",    "orderid",        "order id",      "invoice",
    "invoice_id", "invoiceno",   "invoice_no",     "invoice no",    "basket",
    "basket_id",  "basketid",    "member_number",  "ticket",        "ticket_id",
    "ticketid",   "ticket_no",   "ticketno",       "receipt",       "receipt_id",
    "session",    "session_id",  "sessionid",      "cart",          "cart_id"};

static const char *const columns_item_names[] = {
    "item",    "items",     "item_id",    "itemid",      "item_name",       "itemname",
    "product", "products",  "product_id", "productid",   "product_name",    "productname",
    "sku",     "stockcode", "stock_code", "description", "itemdescription", "item_description",
    "name",    "article",   "article_id"};

static char columns_lower(char byte) {
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + 'a' - 'A') : byte;
}

bool columns_same(const char *text, size_t n, const char *word) {
    size_t i = 0;
    while (i < n && word[i] && columns_lower(text[i]) == columns_lower(word[i])) i++;
    return i == n && !word[i];
}

static bool columns_among(const char *text, size_t n, const char *const *words, size_t n_words) {
    for (size_t i = 0; i < n_words; i++) {
        if (columns_same(text, n, words[i])) return true;
    }
    return false;
}

bool columns_is_transaction(const char *name, size_t n) {
    return columns_among(name, n, columns_transaction_names,
                         sizeof columns_transaction_names / sizeof *columns_transaction_names);
}

bool columns_is_item(const char *name, size_t n) {
    return columns_among(name, n, columns_item_names,
                         sizeof columns_item_names / sizeof *columns_item_names);
}

bool columns_is_index(const char *name, size_t n) {
    static const char *const names[] = {"",        "unnamed: 0",     "index",         "id",
                                        "tid",     "transaction_id", "transactionid", "order_id",
                                        "orderid", "invoice_id",     "invoiceno",     "basket_id"};
    return columns_among(name, n, names, sizeof names / sizeof *names);
}

int columns_truth(const char *cell, size_t n) {
    static const char *const no[] = {"", "0", "0.0", "false", "f", "no", "nan"};
    static const char *const yes[] = {"1", "1.0", "true", "t", "yes"};
    if (columns_among(cell, n, no, sizeof no / sizeof *no)) return 0;
    return columns_among(cell, n, yes, sizeof yes / sizeof *yes) ? 1 : -1;
}
