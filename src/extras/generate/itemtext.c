/* itemtext.c - see itemtext.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/generate/itemtext.h"

#include <stdio.h>

void itemtext_init(itemtext *t, mem *m, char separator) {
    *t = (itemtext){.mem = m, .separator = separator};
}

void itemtext_free(itemtext *t) {
    if (!t->mem) return;
    vec_char_free(t->mem, &t->text);
    vec_u64_free(t->mem, &t->ends);
}

static bool itemtext_is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool itemtext_needs_quotes(const char *name, size_t n) {
    if (n == 0 || itemtext_is_blank(name[0]) || itemtext_is_blank(name[n - 1])) return true;
    for (size_t i = 0; i < n; i++) {
        if (name[i] == ',' || name[i] == '"' || name[i] == '\n' || name[i] == '\r') return true;
    }
    return false;
}

static void itemtext_push(itemtext *t, char c) {
    t->text.data[t->text.n++] = c;
}

lode_status itemtext_add(itemtext *t, const char *name, size_t n) {
    lode_status status = LODE_OK;
    size_t start = t->text.n;
    bool quoted = t->separator == ',' && itemtext_needs_quotes(name, n);
    if (t->ends.n == 0) LODE_TRY(vec_u64_push(t->mem, &t->ends, 0));
    LODE_TRY(vec_char_reserve(t->mem, &t->text, 2 * n + 3 + ITEMTEXT_STEP));
    if (quoted) itemtext_push(t, '"');
    for (size_t i = 0; i < n; i++) {
        if (quoted && name[i] == '"') itemtext_push(t, '"');
        itemtext_push(t, name[i]);
    }
    if (quoted) itemtext_push(t, '"');
    itemtext_push(t, t->separator);
    LODE_TRY(vec_u64_push(t->mem, &t->ends, t->text.n));
    if (t->text.n - start > t->longest) t->longest = t->text.n - start;
done:
    return status;
}

lode_status itemtext_write(const itemtext *t, const uint32_t *items, uint32_t n, vec_char *out) {
    lode_status status = vec_char_reserve(t->mem, out, n * t->longest + 1 + ITEMTEXT_STEP);
    if (status != LODE_OK) return status;
    char *at = out->data + out->n;
    const char *text = t->text.data;
    const uint64_t *ends = t->ends.data;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t from = ends[items[i]], length = ends[items[i] + 1] - from;
        memcpy(at, text + from, ITEMTEXT_STEP);
        for (uint64_t k = ITEMTEXT_STEP; k < length; k += ITEMTEXT_STEP) {
            memcpy(at + k, text + from + k, ITEMTEXT_STEP);
        }
        at += length;
    }
    if (n > 0) at--; /* the line end replaces the last separator */
    *at++ = '\n';
    out->n = (size_t)(at - out->data);
    return LODE_OK;
}

/* ---- product names for generated baskets ----------------------------------------------------- */

/* product i = [kind] word [number]: first every word alone, then every word in each kind ("organic
 * rye bread"), then all of them again with a number ("rye bread 2"). */

static const char *const product_words[] = {
    "whole milk",     "butter",         "rye bread",    "eggs",          "bananas",
    "coffee",         "tomatoes",       "yogurt",       "rolls",         "apples",
    "mineral water",  "potatoes",       "onions",       "cheddar",       "pasta",
    "olive oil",      "sugar",          "flour",        "salt",          "black pepper",
    "rice",           "orange juice",   "chicken",      "minced beef",   "ham",
    "sausages",       "salmon",         "tuna",         "carrots",       "cucumber",
    "lettuce",        "spinach",        "broccoli",     "cauliflower",   "garlic",
    "lemons",         "oranges",        "grapes",       "pears",         "strawberries",
    "blueberries",    "avocado",        "mushrooms",    "bell peppers",  "courgettes",
    "leeks",          "celery",         "parsley",      "basil",         "cream",
    "sour cream",     "cottage cheese", "mozzarella",   "parmesan",      "feta",
    "buttermilk",     "oat drink",      "tofu",         "lentils",       "chickpeas",
    "kidney beans",   "green peas",     "sweetcorn",    "tomato paste",  "ketchup",
    "mustard",        "mayonnaise",     "vinegar",      "soy sauce",     "honey",
    "strawberry jam", "peanut butter",  "hazel spread", "muesli",        "oat flakes",
    "corn flakes",    "crispbread",     "baguette",     "toast",         "croissants",
    "wraps",          "biscuits",       "chocolate",    "gummy bears",   "crisps",
    "salted peanuts", "walnuts",        "almonds",      "raisins",       "ice cream",
    "frozen pizza",   "fish fingers",   "frozen fruit", "chips",         "vegetable soup",
    "stock cubes",    "baking powder",  "yeast",        "vanilla sugar", "cinnamon",
    "paprika",        "black tea",      "herbal tea",   "cocoa",         "apple juice",
    "cola",           "lemonade",       "beer",         "red wine",      "white wine",
    "sparkling wine", "washing powder", "dish soap",    "sponges",       "kitchen roll",
    "toilet paper",   "tissues",        "toothpaste",   "shampoo",       "hand soap",
    "bin bags",       "baking paper",   "foil",         "candles",       "batteries",
    "cat food",       "dog food",       "nappies",      "shopping bags", "newspapers",
};

static const char *const product_kinds[] = {
    "",       "organic ", "value ", "premium ", "local ",  "imported ", "small ", "family size ",
    "light ", "fresh ",   "fine ",  "classic ", "winter ", "summer ",   "mixed ", "special ",
};

#define PRODUCT_COUNT(array) ((uint32_t)(sizeof(array) / sizeof(array)[0]))

size_t product_name(uint32_t i, char name[PRODUCT_NAME_BYTES]) {
    const char *word = product_words[i % PRODUCT_COUNT(product_words)];
    i /= PRODUCT_COUNT(product_words);
    const char *kind = product_kinds[i % PRODUCT_COUNT(product_kinds)];
    i /= PRODUCT_COUNT(product_kinds);
    int n = i == 0 ? snprintf(name, PRODUCT_NAME_BYTES, "%s%s", kind, word)
                   : snprintf(name, PRODUCT_NAME_BYTES, "%s%s %u", kind, word, i + 1);
    return (size_t)n;
}
