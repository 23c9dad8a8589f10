// A page of a mapped file that is no longer there (another program cut the file, or the disk cannot be read) ends a
// program with SIGBUS. The handler here puts a page of zeros in its place instead and notes that the file is damaged;
// a SIGBUS elsewhere goes to the handler from before, which is Go's.
#ifndef GUARD_H
#define GUARD_H

#include <stddef.h>

enum { guard_slots = 1024 };

// guard_install sets the handler; 0 where that worked. It is called once.
int guard_install(void);

// guard_add watches over a mapping and returns its slot, -1 where all are taken. Calls must not overlap.
int guard_add(void *from, size_t size);

// guard_remove ends that, before the mapping does.
void guard_remove(int slot);

// guard_faults is the number of pages of the slot's mapping that were missing.
int guard_faults(int slot);

#endif
