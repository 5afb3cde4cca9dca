/* column_names.c - see column_names.h
 *
 * A name is first reduced to its letters and digits: "No. de Facture" becomes "nodefacture". It is
 * a name for a column of transactions if it is a word for a transaction, with or without a word for
 * "number" before or after it; likewise for items.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/column_names.h"

#include <stdint.h>
#include <string.h>

#define COLUMNS_BYTES 48 /* no name in the lists below is as long */

typedef const char *const words[];

/* ---- The words, in alphabetical order within a language ---- */

static words transactions = {
    "basket", "bill", "cart", "invoice", "order", "receipt", "tid", "ticket", "transaction", "trx",
    "txn",
    /* German */ "auftrag", "auftrags", "beleg", "bestell", "bestellung", "bon", "kassenbon",
    "rechnung", "rechnungs", "transaktion", "transaktions", "vorgang", "vorgangs", "warenkorb",
    /* French */ "commande", "facture", "panier", "recu", "ticketdecaisse",
    /* Spanish */ "boleta", "carrito", "factura", "orden", "pedido", "recibo", "transaccion",
    /* Italian, Dutch,
    Portuguese */
    "carrello", "fattura", "ordine", "scontrino", "transazione", "bestelling", "factuur",
    "kassabon", "cupom", "encomenda", "fatura", NULL};

/* These need a word for "number": alone they may mean amounts. */
static words sales = {"check",   "checkout", "purchase", "sale",  "sales", "trans",
                      "einkauf", "verkauf",  "verkaufs", "achat", "vente", "compra",
                      "venta",   "vendita",  "verkoop",  NULL};

static words sessions = {"session",  "visit",  "besuch", "besuchs", "sitzung",
                         "sitzungs", "visite", "sesion", "visita",  NULL};

static words customers = {"account", "buyer",  "cust",        "customer",  "household", "member",
                          "patient", "person", "shopper",     "user",      "visitor",   "benutzer",
                          "kunde",   "kunden", "mitglied",    "mitglieds", "nutzer",    "acheteur",
                          "client",  "membre", "utilisateur", "cliente",   "miembro",   "usuario",
                          "utente",  "klant",  NULL};

static words products = {"article",  "good",     "goods",   "item",     "material",
                         "prod",     "product",  "artikel", "produkt",  "produkte",
                         "ware",     "waren",    "produit", "articulo", "producto",
                         "articolo", "prodotto", "produto", NULL};

/* These need a word for "name" or "number": alone they may well be items. */
static words things = {"book", "course", "dish", "film", "movie", "page", "song", "track", NULL};

static words codes = {"asin", "barcode", "ean", "gtin", "isbn", "plu", "sku", "stock", "upc", NULL};

static words descriptions = {
    "description", "beschreibung", "bezeichnung", "designation",  "libelle",
    "descripcion", "descrizione",  "descricao",   "omschrijving", NULL};

/* Words that may precede or follow a word for a transaction or a product. */
static words number_before = {"id",         "idde",   "iddela",   "n",        "nde",    "no",
                              "node",       "nr",     "num",      "numde",    "numero", "numerode",
                              "numerodela", "pos",    "sales",    "purchase", "codigo", "codigode",
                              "code",       "codedu", "numerodu", "ndu",      NULL};
static words number_behind = {"id",        "ids",    "no",     "nr",   "num",    "number",
                              "nbr",       "nummer", "numero", "code", "key",    "ref",
                              "reference", "uuid",   "guid",   "n",    "codigo", NULL};
static words name_before = {
    "nameof",      "nom",       "nomdu",       "nomdelarticle",  "nomde",   "nombre",
    "nombrede",    "nombredel", "descripcion", "descripciondel", "libelle", "libelledu",
    "designation", "nome",      "nomedo",      "nomedel",        NULL};
static words name_behind = {"name",    "names", "description", "desc",         "descr", "title",
                            "label",   "text",  "bezeichnung", "beschreibung", "bez",   "namen",
                            "libelle", "nom",   "nombre",      "descripcion",  "nome",  NULL};
static words some_behind = {"s", "es", "purchased", "bought", "sold", NULL};
static words nothing = {NULL};

static words indexes = {"index",
                        "row",
                        "rowid",
                        "rowlabels",
                        "rownames",
                        "rownumber",
                        "unnamed0",
                        "no",
                        "nr",
                        "num",
                        "number",
                        "zeile",
                        "zeilenbeschriftungen",
                        "etiquettesdelignes",
                        "etiquetasdefila",
                        "etichettedirighe",
                        NULL};

static words totals = {"grandtotal",     "sum",         "total",         "totals",
                       "gesamt",         "subtotal",    "zwischensumme", "teilergebnis",
                       "soustotal",      "subtotales",  "totaux",        "totales",
                       "gesamtergebnis", "gesamtsumme", "summe",         "totalgeneral",
                       "totalgenerale",  "eindtotaal",  "totaal",        NULL};

static words others = {
    "age",       "amount",    "brand",       "category",      "channel",   "city",
    "cost",      "country",   "currency",    "customername",  "date",      "datetime",
    "day",       "daypart",   "department",  "discount",      "gender",    "invoicedate",
    "month",     "orderdate", "payment",     "paymentmethod", "price",     "profit",
    "qty",       "quantity",  "rating",      "region",        "revenue",   "segment",
    "state",     "status",    "store",       "subcategory",   "tax",       "time",
    "timestamp", "unitprice", "value",       "weekday",       "year",      "anzahl",
    "betrag",    "datum",     "einzelpreis", "filiale",       "kategorie", "menge",
    "preis",     "uhrzeit",   "umsatz",      "categorie",     "heure",     "magasin",
    "montant",   "prix",      "quantite",    "ville",         "cantidad",  "categoria",
    "fecha",     "hora",      "importe",     "precio",        "tienda",    NULL};

/* ---- Spelling ---- */

static char columns_lower(char byte) {
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + 'a' - 'A') : byte;
}

bool columns_same(const char *text, size_t n, const char *word) {
    size_t i = 0;
    while (i < n && word[i] && columns_lower(text[i]) == columns_lower(word[i])) i++;
    return i == n && !word[i];
}

/* The ASCII letter under an accent, for U+00C0 to U+00FF. */
static char columns_fold(unsigned char letter) {
    static const char letters[] = "aaaaaaaceeeeiiiidnooooo ouuuuyts"
                                  "aaaaaaaceeeeiiiidnooooo ouuuuyty";
    return letters[letter & 63];
}

/* Writes the letters and digits of a name in lower case without accents, whether it is UTF-8 or
 * Latin-1. Writes "" if the name is longer than any known name. */
static void columns_squeeze(const char *name, size_t n, char out[COLUMNS_BYTES]) {
    size_t length = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = (unsigned char)name[i];
        bool pair = (byte == 0xc2 || byte == 0xc3) && i + 1 < n && (name[i + 1] & 0xc0) == 0x80;
        char c = columns_lower(name[i]);
        if (pair) byte = (unsigned char)(name[++i] | (byte == 0xc3 ? 0x40 : 0));
        if (byte >= 0x80) c = byte >= 0xc0 ? columns_fold(byte) : ' ';
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) continue;
        out[length++] = c;
        if (length + 1 < COLUMNS_BYTES) continue;
        length = 0;
        break;
    }
    out[length] = 0;
}

bool columns_alike(const char *text, size_t n, const char *word) {
    char a[COLUMNS_BYTES], b[COLUMNS_BYTES];
    columns_squeeze(text, n, a);
    columns_squeeze(word, strlen(word), b);
    return a[0] && strcmp(a, b) == 0;
}

size_t columns_number(const char *option) {
    size_t number = 0;
    for (const char *p = option; p && *p; p++) {
        if (*p < '0' || *p > '9' || number > 100000000) return 0;
        number = number * 10 + (size_t)(*p - '0');
    }
    return number;
}

/* ---- Matching ---- */

static bool columns_among(const char *name, words list) {
    for (size_t i = 0; list[i]; i++) {
        if (name[0] == list[i][0] && strcmp(name, list[i]) == 0) return true;
    }
    return false;
}

/* What follows `word` in the name; NULL if the name does not begin with it. */
static const char *columns_after(const char *name, const char *word) {
    while (*word && *name == *word) name++, word++;
    return *word ? NULL : name;
}

/* Whether the name is a word of the list followed by one of `behind`, or alone, where that is
 * allowed. */
static bool columns_word(const char *name, words list, words behind, bool alone) {
    for (size_t i = 0; list[i]; i++) {
        const char *rest = columns_after(name, list[i]);
        if (rest && (*rest ? columns_among(rest, behind) : alone)) return true;
    }
    return false;
}

/* The same, with one of `before` in front. */
static bool columns_has(const char *name, words before, words list, words behind) {
    for (size_t i = 0; before[i]; i++) {
        const char *rest = columns_after(name, before[i]);
        if (rest && columns_word(rest, list, behind, true)) return true;
    }
    return false;
}

static bool columns_is_numbered_word(const char *name, words list, bool alone) {
    return columns_word(name, list, number_behind, alone) ||
           columns_has(name, number_before, list, number_behind);
}

unsigned columns_transaction_rank(const char *name, size_t n) {
    char s[COLUMNS_BYTES];
    columns_squeeze(name, n, s);
    if (!s[0]) return 0;
    if (columns_is_numbered_word(s, transactions, true)) return 1;
    if (columns_is_numbered_word(s, sales, false)) return 1;
    if (columns_is_numbered_word(s, sessions, true)) return 2;
    if (columns_is_numbered_word(s, customers, true)) return 3;
    return strcmp(s, "id") == 0 ? COLUMNS_JUST_ID : 0;
}

unsigned columns_item_rank(const char *name, size_t n) {
    char s[COLUMNS_BYTES];
    columns_squeeze(name, n, s);
    if (!s[0]) return 0;
    if (columns_word(s, products, name_behind, false)) return 1;
    if (columns_word(s, things, name_behind, false)) return 1;
    if (columns_has(s, name_before, products, nothing)) return 1;
    if (columns_word(s, products, some_behind, true)) return 2;
    if (columns_among(s, descriptions)) return 3;
    if (columns_is_numbered_word(s, products, false)) return 4;
    if (columns_word(s, things, number_behind, false)) return 4;
    if (strcmp(s, "stock") != 0 && columns_is_numbered_word(s, codes, true)) return 4;
    return strcmp(s, "name") == 0 ? COLUMNS_JUST_NAME : 0;
}

bool columns_is_index(const char *name, size_t n) {
    char s[COLUMNS_BYTES];
    if (n == 0 || (n == 1 && *name == '#')) return true;
    columns_squeeze(name, n, s);
    return columns_among(s, indexes) || columns_transaction_rank(name, n) > 0;
}

bool columns_is_total(const char *name, size_t n) {
    char s[COLUMNS_BYTES];
    columns_squeeze(name, n, s);
    return columns_among(s, totals);
}

bool columns_is_usual(const char *name, size_t n) {
    char s[COLUMNS_BYTES];
    columns_squeeze(name, n, s);
    return columns_among(s, others) || columns_transaction_rank(name, n) > 0 ||
           columns_item_rank(name, n) > 0;
}

bool columns_is_numbered(const char *name, size_t n) {
    size_t digits = 0;
    while (digits < n && name[n - digits - 1] >= '0' && name[n - digits - 1] <= '9') digits++;
    return digits > 0 && digits < n && columns_item_rank(name, n - digits) > 0;
}
