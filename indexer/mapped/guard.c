//go:build unix

#include "guard.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// A slot is free while to is 0. from is written before to and read after it.
static struct {
	atomic_uintptr_t from, to;
	atomic_int faults;
} slots[guard_slots];

static struct sigaction before;
static uintptr_t page;

// on_bus runs on the signal stack of whatever thread read the page, in Go or in C. It calls nothing but mmap, which is a
// plain system call.
static void on_bus(int sig, siginfo_t *info, void *context) {
	uintptr_t at = (uintptr_t)info->si_addr;
	for (int i = 0; i < guard_slots; i++) {
		uintptr_t to = atomic_load(&slots[i].to);
		if (at >= to || at < atomic_load(&slots[i].from)) {
			continue;
		}
		void *start = (void *)(at & ~(page - 1));
		if (mmap(start, page, PROT_READ, MAP_PRIVATE | MAP_ANON | MAP_FIXED, -1, 0) == start) {
			atomic_fetch_add(&slots[i].faults, 1);
			return;
		}
		break;
	}
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(sig, info, context);
	} else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(sig);
	} else {
		sigaction(sig, &before, NULL); // the instruction is run again, and meets the default
	}
}

int guard_install(void) {
	struct sigaction act;
	page = (uintptr_t)sysconf(_SC_PAGESIZE);
	if (sigaction(SIGBUS, NULL, &before) != 0) {
		return -1;
	}
	act = before; // the mask of Go's, and its alternate stack, which goroutines need
	act.sa_sigaction = on_bus;
	act.sa_flags |= SA_SIGINFO | SA_ONSTACK;
	return sigaction(SIGBUS, &act, NULL);
}

int guard_add(void *from, size_t size) {
	for (int i = 0; i < guard_slots; i++) {
		if (atomic_load(&slots[i].to) == 0) {
			atomic_store(&slots[i].faults, 0);
			atomic_store(&slots[i].from, (uintptr_t)from);
			atomic_store(&slots[i].to, (uintptr_t)from + size);
			return i;
		}
	}
	return -1;
}

void guard_remove(int slot) { atomic_store(&slots[slot].to, 0); }

int guard_faults(int slot) { return atomic_load(&slots[slot].faults); }
