// Languages whose tables, lexers included, come from a file of this package.
#ifndef PACKED_LANGUAGE_H
#define PACKED_LANGUAGE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct TSLanguage TSLanguage;

// Returns the language of a grammar, NULL if there is none of that name. tables is what its file
// holds; it is aligned to 8 bytes and stays as long as the language is used. A second call for a
// grammar replaces the tables of the first.
const TSLanguage *packed_language(const char *grammar, const uint8_t *tables);

// Reports whether a language of this package is Lua, whose scanner has global variables.
bool packed_is_lua(const TSLanguage *);

#endif
