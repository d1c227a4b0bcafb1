/* The part of a generated module that does not depend on the headers: the call ring and the loader.
 *
 * The ring is a shared file mapping: a call is on record before the driver is entered, so that the last calls are known
 * also after a SIGKILL. Writers of several threads reserve a record with one atomic increment and never block. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MRI_ARGS 12
#define MRI_POINTEES 4
#define MRI_TEXT 56
#define MRI_LIBRARIES 16

enum { MRI_CALL = 1, MRI_NOTE = 2 };
enum { MRI_ENTERED = 1, MRI_RETURNED = 2 };

struct mri_record {
    _Atomic uint64_t sequence; /* 1 + position; 0 while nothing is there */
    uint64_t begin_ns, end_ns;
    uint32_t thread;
    uint16_t function;
    uint8_t kind, state;
    uint64_t result;
    uint64_t args[MRI_ARGS];
    uint64_t before[MRI_POINTEES], after[MRI_POINTEES];
    char text[MRI_TEXT];
};

struct mri_ring {
    char magic[8];
    uint32_t record_size, capacity;
    _Atomic uint64_t next;
    uint64_t padding[5];
    struct mri_record records[];
};

struct mri_loaded {
    struct mri_ring *ring;
    size_t ring_bytes;
    int libraries;
    void *handles[MRI_LIBRARIES];
};

static uint64_t mri_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint32_t mri_thread(void)
{
    static __thread uint32_t cached;
    if (cached == 0) cached = (uint32_t)syscall(SYS_gettid);
    return cached;
}

static inline struct mri_record *mri_reserve(struct mri_ring *ring, int kind, int function, uint64_t *sequence)
{
    uint64_t position = atomic_fetch_add_explicit(&ring->next, 1, memory_order_relaxed);
    struct mri_record *record = &ring->records[position % ring->capacity];
    atomic_store_explicit(&record->sequence, 0, memory_order_relaxed);
    record->thread = mri_thread();
    record->function = (uint16_t)function;
    record->kind = (uint8_t)kind;
    record->state = MRI_ENTERED;
    record->begin_ns = mri_now();
    record->end_ns = 0;
    *sequence = position + 1;
    return record;
}

static inline void mri_publish(struct mri_record *record, uint64_t sequence)
{
    atomic_store_explicit(&record->sequence, sequence, memory_order_release);
}

/* A call that outlives a whole turn of the ring finds its record taken; then its end is simply not on record. */
static inline int mri_still_mine(struct mri_record *record, uint64_t sequence)
{
    return atomic_load_explicit(&record->sequence, memory_order_acquire) == sequence;
}

static inline void mri_returned(struct mri_record *record)
{
    record->end_ns = mri_now();
    record->state = MRI_RETURNED;
}

static inline uint64_t mri_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t mri_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t mri_peek(const void *address, size_t size)
{
    uint64_t word = 0;
    memcpy(&word, address, size < sizeof word ? size : sizeof word);
    return word;
}

static inline void mri_text(struct mri_record *record, const char *text)
{
    record->text[0] = 0;
    if (text != NULL) {
        strncpy(record->text, text, MRI_TEXT - 1);
        record->text[MRI_TEXT - 1] = 0;
    }
}

/* When the oldest call that has not returned was entered (CLOCK_MONOTONIC ns); 0 when every call has returned. */
static uint64_t mri_oldest_in_ring(const struct mri_ring *ring)
{
    uint64_t oldest = 0;
    for (uint32_t i = 0; i < ring->capacity; ++i) {
        const struct mri_record *record = &ring->records[i];
        if (atomic_load_explicit(&record->sequence, memory_order_acquire) == 0) continue;
        if (record->kind != MRI_CALL || record->state != MRI_ENTERED) continue;
        if (oldest == 0 || record->begin_ns < oldest) oldest = record->begin_ns;
    }
    return oldest;
}

static int mri_open_ring(struct mri_loaded *loaded, const char *path, uint32_t capacity, char *error, size_t room)
{
    size_t bytes = sizeof(struct mri_ring) + (size_t)capacity * sizeof(struct mri_record);
    int file = -1, flags = MAP_SHARED;
    if (path != NULL) {
        file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        int reason = file < 0 ? errno : posix_fallocate(file, 0, (off_t)bytes);
        if (reason != 0) {
            snprintf(error, room, "cannot make the call ring %s: %s", path, strerror(reason));
            if (file >= 0) close(file);
            return -1;
        }
    } else {
        flags |= MAP_ANONYMOUS;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    if (file >= 0) close(file);
    if (memory == MAP_FAILED) {
        snprintf(error, room, "cannot map the call ring: %s", strerror(errno));
        return -1;
    }
    loaded->ring = memory;
    loaded->ring_bytes = bytes;
    loaded->ring->record_size = sizeof(struct mri_record);
    loaded->ring->capacity = capacity;
    memcpy(loaded->ring->magic, "MRIRING1", 8);
    return 0;
}

static int mri_open_libraries(struct mri_loaded *loaded, char **paths, int count, char *error, size_t room)
{
    for (int i = 0; i < count && i < MRI_LIBRARIES; ++i) {
        void *handle = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
        if (handle == NULL) {
            snprintf(error, room, "%s", dlerror());
            return -1;
        }
        loaded->handles[loaded->libraries++] = handle;
    }
    return 0;
}

static void *mri_symbol(const struct mri_loaded *loaded, const char *name)
{
    for (int i = 0; i < loaded->libraries; ++i) {
        void *found = dlsym(loaded->handles[i], name);
        if (found != NULL) return found;
    }
    return NULL;
}
