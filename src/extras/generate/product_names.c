/* product_names.c - see product_names.h
 *
 * product i = [kind] word [number]: first every word alone, then every word in each kind ("organic
 * rye bread"), then all of them again with a number ("rye bread 2").
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/generate/product_names.h"

#include <stdio.h>

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
