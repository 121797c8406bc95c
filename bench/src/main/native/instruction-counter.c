// SPDX-License-Identifier: Apache-2.0
// Counts the instructions that one Java thread executes between two calls, exactly: the processor's trap flag raises a trap
// after each of them. Needs no performance counters. Linux on x86-64; scripts/count-instructions compiles and uses it:
//   cc -O2 -shared -fPIC -I"$JAVA_HOME/include" -I"$JAVA_HOME/include/linux" -o DIR/counter.so instruction-counter.c -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jvmti.h>
#include <jvmticmlr.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#if !defined(__linux__) || !defined(__x86_64__)
#error "the trap flag is read and set for Linux on x86-64 only"
#endif

enum
{
    PLACES = 1 << 18,
    PROBES = 64,
    NAME_BYTES = 512
};

// Where instructions were executed, and how often: open addressing, written by the handler alone.
static uintptr_t places[PLACES];
static jlong executed[PLACES];
static jlong lost;
static jlong count;
static uintptr_t last;

// Code that the compilers wrote, in the order of its loading. A later piece replaces an earlier one at the same address.
typedef struct Piece
{
    uintptr_t from;
    uintptr_t to;
    jmethodID method;
    char* stub;
    jint positions;
    uintptr_t* ends;
    jmethodID* methods;
    jint* bytecodes;
} Piece;

static Piece* pieces;
static size_t pieceCount;
static size_t pieceCapacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jvmtiEnv* jvmti;

// A repeated string instruction traps once per repetition but stays at its address: it counts once.
static void onTrap(int signal, siginfo_t* info, void* context)
{
    (void)signal;
    (void)info;
    const uintptr_t at = (uintptr_t)((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
    if (at == last)
    {
        return;
    }
    last = at;
    count++;
    size_t slot = (at * 0x9E3779B97F4A7C15u) >> 46;
    for (int i = 0; i < PROBES; i++, slot = (slot + 1) & (PLACES - 1))
    {
        if (places[slot] == at || places[slot] == 0)
        {
            places[slot] = at;
            executed[slot]++;
            return;
        }
    }
    lost++;
}

static Piece* add(const void* address, jint bytes)
{
    if (pieceCount == pieceCapacity)
    {
        pieceCapacity = pieceCapacity == 0 ? 4096 : 2 * pieceCapacity;
        pieces = realloc(pieces, pieceCapacity * sizeof(Piece));
        if (pieces == NULL)
        {
            abort();
        }
    }
    Piece* piece = &pieces[pieceCount++];
    memset(piece, 0, sizeof(Piece));
    piece->from = (uintptr_t)address;
    piece->to = piece->from + (uintptr_t)bytes;
    return piece;
}

static void JNICALL onCompiledMethod(jvmtiEnv* env, jmethodID method, jint bytes, const void* address, jint mapLength,
    const jvmtiAddrLocationMap* map, const void* compileInfo)
{
    (void)env;
    (void)mapLength;
    (void)map;
    pthread_mutex_lock(&lock);
    Piece* piece = add(address, bytes);
    piece->method = method;
    const jvmtiCompiledMethodLoadRecordHeader* header = compileInfo;
    for (; header != NULL; header = header->next)
    {
        if (header->kind == JVMTI_CMLR_INLINE_INFO)
        {
            const jvmtiCompiledMethodLoadInlineRecord* record = (const jvmtiCompiledMethodLoadInlineRecord*)header;
            piece->ends = calloc((size_t)record->numpcs, sizeof(uintptr_t));
            piece->methods = calloc((size_t)record->numpcs, sizeof(jmethodID));
            piece->bytecodes = calloc((size_t)record->numpcs, sizeof(jint));
            for (jint i = 0; i < record->numpcs; i++)
            {
                piece->ends[i] = (uintptr_t)record->pcinfo[i].pc;
                piece->methods[i] = record->pcinfo[i].numstackframes == 0 ? method : record->pcinfo[i].methods[0];
                piece->bytecodes[i] = record->pcinfo[i].numstackframes == 0 ? 0 : record->pcinfo[i].bcis[0];
            }
            piece->positions = record->numpcs;
        }
    }
    pthread_mutex_unlock(&lock);
}

static void JNICALL onStub(jvmtiEnv* env, const char* name, const void* address, jint bytes)
{
    (void)env;
    pthread_mutex_lock(&lock);
    add(address, bytes)->stub = strdup(name);
    pthread_mutex_unlock(&lock);
}

static int line(jmethodID method, jint bytecode)
{
    jint entries;
    jvmtiLineNumberEntry* table;
    if ((*jvmti)->GetLineNumberTable(jvmti, method, &entries, &table) != JVMTI_ERROR_NONE)
    {
        return 0;
    }
    int found = 0;
    jlocation nearest = -1;
    for (jint i = 0; i < entries; i++)
    {
        if (table[i].start_location <= bytecode && table[i].start_location > nearest)
        {
            nearest = table[i].start_location;
            found = table[i].line_number;
        }
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char*)table);
    return found;
}

// "Lio/signalbox/kv/Blocks;" to "io.signalbox.kv.Blocks.method:line".
static void nameOf(jmethodID method, jint bytecode, char* name)
{
    jclass type;
    char* signature = NULL;
    char* simple = NULL;
    snprintf(name, NAME_BYTES, "a method that was unloaded");
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &type) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetClassSignature(jvmti, type, &signature, NULL) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetMethodName(jvmti, method, &simple, NULL, NULL) == JVMTI_ERROR_NONE)
    {
        snprintf(name, NAME_BYTES, "%.*s.%s:%d", (int)strlen(signature) - 2, signature + 1, simple, line(method, bytecode));
        for (char* at = name; *at != 0; at++)
        {
            *at = *at == '/' ? '.' : *at;
        }
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char*)signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char*)simple);
}

static void describe(uintptr_t address, char* name)
{
    for (size_t i = pieceCount; i-- > 0;)
    {
        const Piece* piece = &pieces[i];
        if (address < piece->from || address >= piece->to)
        {
            continue;
        }
        if (piece->stub != NULL)
        {
            snprintf(name, NAME_BYTES, "stub %s", piece->stub);
            return;
        }
        jint position = 0;
        while (position < piece->positions - 1 && piece->ends[position] < address)
        {
            position++;
        }
        nameOf(piece->positions == 0 ? piece->method : piece->methods[position],
            piece->positions == 0 ? 0 : piece->bytecodes[position], name);
        return;
    }
    Dl_info library;
    const char* file = dladdr((void*)address, &library) != 0 ? strrchr(library.dli_fname, '/') : NULL;
    snprintf(name, NAME_BYTES, "%s", file == NULL ? "other code" : file + 1);
}

// A flag in the saved copy of the flags register; the red zone of 128 bytes below the stack pointer stays untouched.
#define SET_TRAP_FLAG() __asm__ volatile( \
    "sub $128, %%rsp; pushfq; orq $0x100, (%%rsp); popfq; add $128, %%rsp" ::: "memory", "cc")
#define CLEAR_TRAP_FLAG() __asm__ volatile( \
    "sub $128, %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; add $128, %%rsp" ::: "memory", "cc")

JNIEXPORT void JNICALL Java_io_signalbox_bench_InstructionCount_start(JNIEnv* env, jclass type, jboolean armed)
{
    (void)env;
    (void)type;
    count = 0;
    last = 0;
    if (armed)
    {
        SET_TRAP_FLAG();
    }
}

JNIEXPORT jlong JNICALL Java_io_signalbox_bench_InstructionCount_stop(JNIEnv* env, jclass type)
{
    (void)env;
    (void)type;
    CLEAR_TRAP_FLAG();
    return count;
}

// Forgets the places of earlier windows.
JNIEXPORT void JNICALL Java_io_signalbox_bench_InstructionCount_clear(JNIEnv* env, jclass type)
{
    (void)env;
    (void)type;
    memset(places, 0, sizeof(places));
    memset(executed, 0, sizeof(executed));
    lost = 0;
}

// A line per place: how often, a tab, the method with its line, the stub or the library.
JNIEXPORT jstring JNICALL Java_io_signalbox_bench_InstructionCount_places(JNIEnv* env, jclass type)
{
    (void)type;
    char* text = NULL;
    size_t length = 0;
    FILE* out = open_memstream(&text, &length);
    char name[NAME_BYTES];
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < PLACES; i++)
    {
        if (executed[i] > 0)
        {
            describe(places[i], name);
            fprintf(out, "%lld\t%s\n", (long long)executed[i], name);
        }
    }
    pthread_mutex_unlock(&lock);
    if (lost > 0)
    {
        fprintf(out, "%lld\tplaces beyond the table\n", (long long)lost);
    }
    fclose(out);
    const jstring result = (*env)->NewStringUTF(env, text);
    free(text);
    return result;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void* reserved)
{
    (void)options;
    (void)reserved;
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = onTrap;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    jvmtiCapabilities capabilities;
    memset(&capabilities, 0, sizeof(capabilities));
    capabilities.can_generate_compiled_method_load_events = 1;
    capabilities.can_get_line_numbers = 1;
    jvmtiEventCallbacks callbacks;
    memset(&callbacks, 0, sizeof(callbacks));
    callbacks.CompiledMethodLoad = onCompiledMethod;
    callbacks.DynamicCodeGenerated = onStub;
    if (sigaction(SIGTRAP, &action, NULL) != 0 ||
        (*vm)->GetEnv(vm, (void**)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->AddCapabilities(jvmti, &capabilities) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD, NULL) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_DYNAMIC_CODE_GENERATED, NULL) != JVMTI_ERROR_NONE)
    {
        fprintf(stderr, "instruction-counter: this JVM does not report its compiled code to an agent.\n");
        return JNI_ERR;
    }
    return JNI_OK;
}
