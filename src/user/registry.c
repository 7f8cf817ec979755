/* SPDX-License-Identifier: MIT
 *
 * registry.c - users' operators under their handles: made, checked, found, freed. */
#include "../engine.h"
#include "operator.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN_FLAGS (TALLY_OP_COMMUTATIVE | TALLY_OP_IDEMPOTENT | TALLY_OP_CHECK)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct user_op **operators;
static size_t operator_count, operator_room;
static tally_op next_handle = USER_FIRST_HANDLE;

/* ---- the table ---- */

const struct user_op *user_op_find(tally_op op)
{
    const struct user_op *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = operator_count; i-- > 0 && !found;) {
        if (operators[i]->row.op == op) found = operators[i];
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static int same_hash(struct hash a, struct hash b)
{
    return a.high == b.high && a.low == b.low;
}

/* hash NULL: any. */
static const struct user_op *find_latest(const char *name, const struct hash *hash)
{
    const struct user_op *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < operator_count; i++) {
        if (strcmp(operators[i]->name, name) == 0 && (!hash || same_hash(operators[i]->hash, *hash)) &&
            (!found || operators[i]->row.op > found->row.op))
            found = operators[i];
    }
    pthread_mutex_unlock(&lock);
    return found;
}

const struct user_op *user_op_find_name(const char *name)
{
    return find_latest(name, NULL);
}

const struct user_op *user_op_find_same(const char *name, struct hash hash)
{
    return find_latest(name, &hash);
}

int user_op_is_same(const struct user_op *a, const struct user_op *b)
{
    return a == b || (a && b && a->text && b->text && strcmp(a->name, b->name) == 0 && same_hash(a->hash, b->hash));
}

static int enter(struct user_op *op)
{
    int entered = 1;
    pthread_mutex_lock(&lock);
    if (operator_count == operator_room) {
        size_t room = operator_room ? 2 * operator_room : 16;
        struct user_op **larger = realloc(operators, room * sizeof *operators);
        entered = larger != NULL;
        if (entered) {
            operators = larger;
            operator_room = room;
        }
    }
    if (entered) {
        op->row.op = next_handle++;
        operators[operator_count++] = op;
    }
    pthread_mutex_unlock(&lock);
    return entered;
}

static void delete_op(struct user_op *op)
{
    if (op->library) dlclose(op->library);
    pthread_mutex_destroy(&op->lock);
    free(op->text);
    free(op);
}

tally_status tally_op_free(tally_op op)
{
    struct user_op *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < operator_count; i++) {
        if (operators[i]->row.op != op) continue;
        found = operators[i];
        operators[i] = operators[--operator_count];
        break;
    }
    if (found && operator_count == 0) {
        free(operators);
        operators = NULL;
        operator_room = 0;
    }
    pthread_mutex_unlock(&lock);
    if (!found)
        FAIL(TALLY_INVALID_ARGUMENT, "op is %llu: expected what tally_op_compile or tally_op_from_functions gave",
             (unsigned long long)op);
    delete_op(found);
    return TALLY_OK;
}

tally_status tally_op_state_size(tally_op op, size_t *bytes)
{
    const struct user_op *found = user_op_find(op);
    if (!bytes) FAIL(TALLY_INVALID_ARGUMENT, "bytes is NULL");
    if (!found || found->is_map)
        FAIL(TALLY_INVALID_ARGUMENT, "op is %llu: expected what tally_op_compile or tally_op_from_functions gave",
             (unsigned long long)op);
    TRY(user_op_compile(found));
    *bytes = user_kernels(found)->state_bytes;
    return TALLY_OK;
}

/* ---- making one ---- */

/* form: the argument, "source" or "functions". */
static tally_status check_name(const char *form, const char *name)
{
    size_t length = name ? strlen(name) : 0;
    int good = length > 0 && length < sizeof((struct user_op *)NULL)->name && !isdigit((unsigned char)name[0]);
    for (size_t i = 0; i < length && good; i++) good = isalnum((unsigned char)name[i]) || name[i] == '_';
    if (!good)
        FAIL(TALLY_INVALID_ARGUMENT,
             "%s.name is %s%.80s%s: expected 1 to %zu letters, digits and '_', beginning with no digit", form,
             name ? "\"" : "", name ? name : "NULL", name ? "\"" : "", sizeof((struct user_op *)NULL)->name - 1);
    return TALLY_OK;
}

/* What both forms of an operator have in common. */
static tally_status check_shape(const char *form, uint32_t flags, int32_t input_count, int32_t most,
                                const tally_type *inputs, int32_t result_count)
{
    if (flags & ~(uint32_t)KNOWN_FLAGS)
        FAIL(TALLY_INVALID_ARGUMENT, "%s.flags has 0x%x: expected only 0x%x", form,
             (unsigned)(flags & ~(uint32_t)KNOWN_FLAGS), KNOWN_FLAGS);
    if (input_count < 1 || input_count > most)
        FAIL(TALLY_INVALID_ARGUMENT, "%s.input_count is %d: expected 1 to %d", form, (int)input_count, (int)most);
    for (int32_t c = 0; c < input_count; c++) {
        if (!type_row(inputs[c]))
            FAIL(TALLY_INVALID_ARGUMENT, "%s.inputs[%d] is %d: expected TALLY_BOOL to TALLY_C128", form, (int)c,
                 (int)inputs[c]);
    }
    if (result_count < 1 || result_count > TALLY_OP_MOST_RESULTS)
        FAIL(TALLY_INVALID_ARGUMENT, "%s.result_count is %d: expected 1 to %d", form, (int)result_count,
             TALLY_OP_MOST_RESULTS);
    return TALLY_OK;
}

static struct user_op *new_op(const char *name, uint32_t flags, int32_t input_count, const tally_type *inputs,
                              tally_type result, int32_t result_count, int has_identity)
{
    struct user_op *op = calloc(1, sizeof *op);
    if (!op) return NULL;
    strcpy(op->name, name);
    op->flags = flags;
    op->input_count = input_count;
    op->values = result_count;
    memcpy(op->inputs, inputs, sizeof *inputs * (size_t)input_count);
    op->result = result;
    op->has_identity = has_identity;
    op->row = (struct op_row){
        .name = op->name,
        .kinds = KIND_ANY,
        .lift = LIFT_VALUE,
        .combine = COMBINE_USER,
        .finish = FINISH_TOTAL,
        .result = RESULT_SAME,
        .empty = has_identity ? EMPTY_IDENTITY : EMPTY_ERROR,
        .flags = OP_SCAN | OP_INITIAL | (input_count > 1 ? OP_SECOND : 0) | (input_count > 2 ? OP_THIRD : 0),
    };
    pthread_mutex_init(&op->lock, NULL);
    return op;
}

static void hash_number(struct hash *hash, uint64_t number)
{
    for (int i = 0; i < 8; i++) hash_add(hash, &(unsigned char){(unsigned char)(number >> 8 * i)}, 1);
}

/* What both forms have in common, the form, and the texts or the bytes of a state. */
static struct hash hash_of(const struct user_op *op, const struct user_text *text)
{
    const char *const texts[] = {text ? text->state : NULL,   text ? text->helpers : NULL,  text ? text->lift : NULL,
                                 text ? text->combine : NULL, text ? text->identity : NULL, text ? text->finish : NULL};
    struct hash hash = HASH_START;
    hash_number(&hash, op->flags & TALLY_OP_COMMUTATIVE);
    for (int32_t c = 0; c < op->input_count; c++) hash_number(&hash, (uint64_t)op->inputs[c]);
    hash_number(&hash, (uint64_t)op->result);
    hash_number(&hash, (uint64_t)op->values);
    hash_number(&hash, text ? 0 : op->functions.state_bytes);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hash_number(&hash, texts[i] != NULL);
        if (texts[i]) hash_add(&hash, texts[i], strlen(texts[i]) + 1);
    }
    return hash;
}

/* The last steps of both forms; takes the operator over. */
static tally_status finish_op(tally_context *context, struct user_op *op, tally_op *handle)
{
    tally_status status = context ? context_check_operator(context, op) : TALLY_OK;
    if (status == TALLY_OK && op->flags & TALLY_OP_CHECK) status = user_op_check_laws(op);
    if (status == TALLY_OK && !enter(op)) status = status_fail(TALLY_OUT_OF_MEMORY, "no memory left for an operator");
    if (status == TALLY_OK) *handle = op->row.op;
    else delete_op(op);
    return status;
}

static tally_status check_source(const tally_op_source *source)
{
    TRY(check_name("source", source->name));
    TRY(check_shape("source", source->flags, source->input_count, USER_INPUTS_MOST - 1, source->inputs,
                    source->result_count));
    if (!source->state) FAIL(TALLY_INVALID_ARGUMENT, "source.state is NULL: expected a type's name or members");
    if (!source->combine) FAIL(TALLY_INVALID_ARGUMENT, "source.combine is NULL: expected an expression of a and b");
    tally_type state = user_state_type(source->state);
    if (state == TALLY_DEFAULT_TYPE && !source->lift)
        FAIL(TALLY_INVALID_ARGUMENT, "source.lift is NULL with a state of members: expected how x becomes one");
    if (state == TALLY_DEFAULT_TYPE && !source->finish)
        FAIL(TALLY_INVALID_ARGUMENT, "source.finish is NULL with a state of members: expected the result of s");
    if (state == TALLY_DEFAULT_TYPE && source->result == TALLY_DEFAULT_TYPE)
        FAIL(TALLY_INVALID_ARGUMENT, "source.result is TALLY_DEFAULT_TYPE with a state of members: expected a type");
    if (source->result != TALLY_DEFAULT_TYPE && !type_row(source->result))
        FAIL(TALLY_INVALID_ARGUMENT, "source.result is %d: expected TALLY_DEFAULT_TYPE or TALLY_BOOL to TALLY_C128",
             (int)source->result);
    if (source->result_count > 1 && !source->finish)
        FAIL(TALLY_INVALID_ARGUMENT, "source.finish is NULL with result_count %d: expected statements that set out[]",
             (int)source->result_count);
    return TALLY_OK;
}

static tally_status check_map(const tally_op_source *source)
{
    TRY(check_name("source", source->name));
    TRY(check_shape("source", source->flags, source->input_count, USER_INPUTS_MOST, source->inputs,
                    source->result_count));
    if (source->flags) FAIL(TALLY_INVALID_ARGUMENT, "source.flags is 0x%x: a map has none", (unsigned)source->flags);
    if (source->result_count != 1)
        FAIL(TALLY_INVALID_ARGUMENT, "source.result_count is %d: a map gives 1", (int)source->result_count);
    if (!source->lift) FAIL(TALLY_INVALID_ARGUMENT, "source.lift is NULL: expected the map's expression");
    if (source->state || source->combine || source->identity || source->finish)
        FAIL(TALLY_INVALID_ARGUMENT, "source.%s is given: a map has lift and helpers alone",
             source->state      ? "state"
             : source->combine  ? "combine"
             : source->identity ? "identity"
                                : "finish");
    if (source->result != TALLY_DEFAULT_TYPE && !type_row(source->result))
        FAIL(TALLY_INVALID_ARGUMENT, "source.result is %d: expected TALLY_DEFAULT_TYPE or TALLY_BOOL to TALLY_C128",
             (int)source->result);
    return TALLY_OK;
}

static int may_multiply(const struct user_text *text)
{
    const char *const texts[] = {text->helpers, text->lift, text->combine, text->identity, text->finish};
    int found = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) found |= texts[i] && strchr(texts[i], '*');
    return found;
}

/* An operator, or a map, of checked texts. */
static tally_status compile(tally_context *context, const tally_op_source *source, int is_map, tally_op *op)
{
    tally_type result = source->result || is_map ? source->result : user_state_type(source->state);
    struct user_op *made = new_op(source->name, source->flags, source->input_count, source->inputs, result,
                                  source->result_count, source->identity != NULL);
    if (made) made->is_map = is_map;
    struct user_text text = {source->state,   source->helpers,  source->lift,
                             source->combine, source->identity, source->finish};
    if (made) made->hash = hash_of(made, &text);
    if (made) made->multiplies = may_multiply(&text);
    if (made) made->text = user_text_write(made, &text);
    if (!made || !made->text) {
        if (made) delete_op(made);
        FAIL(TALLY_OUT_OF_MEMORY, "no memory left for an operator");
    }
    return finish_op(context, made, op);
}

static tally_status check_call(const tally_context *context, const tally_op_source *source, const tally_op *op)
{
    if (!context || !source || !op)
        FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", !context ? "context" : !source ? "source" : "op");
    if (source->size != sizeof *source)
        FAIL(TALLY_INVALID_ARGUMENT, "source.size is %u: expected %zu; start from TALLY_OP_SOURCE_INIT",
             (unsigned)source->size, sizeof *source);
    return TALLY_OK;
}

tally_status tally_op_compile(tally_context *context, const tally_op_source *source, tally_op *op)
{
    TRY(check_call(context, source, op));
    TRY(check_source(source));
    return compile(context, source, 0, op);
}

tally_status tally_map_compile(tally_context *context, const tally_op_source *source, tally_op *op)
{
    TRY(check_call(context, source, op));
    TRY(check_map(source));
    return compile(context, source, 1, op);
}

tally_status tally_op_from_functions(const tally_op_functions *functions, tally_op *op)
{
    if (!functions || !op) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", functions ? "op" : "functions");
    if (functions->size != sizeof *functions)
        FAIL(TALLY_INVALID_ARGUMENT, "functions.size is %u: expected %zu", (unsigned)functions->size,
             sizeof *functions);
    TRY(check_name("functions", functions->name));
    TRY(check_shape("functions", functions->flags, functions->input_count, USER_INPUTS_MOST - 1, functions->inputs,
                    functions->result_count));
    if (!type_row(functions->result))
        FAIL(TALLY_INVALID_ARGUMENT, "functions.result is %d: expected TALLY_BOOL to TALLY_C128",
             (int)functions->result);
    if (functions->state_bytes < 1 || functions->state_bytes > TALLY_OP_MOST_STATE)
        FAIL(TALLY_INVALID_ARGUMENT, "functions.state_bytes is %u: expected 1 to %d", (unsigned)functions->state_bytes,
             TALLY_OP_MOST_STATE);
    if (functions->reserved != 0)
        FAIL(TALLY_INVALID_ARGUMENT, "functions.reserved is %u: expected 0", (unsigned)functions->reserved);
    if (!functions->lift || !functions->combine || !functions->finish)
        FAIL(TALLY_INVALID_ARGUMENT, "functions.%s is NULL: expected a function",
             !functions->lift      ? "lift"
             : !functions->combine ? "combine"
                                   : "finish");
    struct user_op *made = new_op(functions->name, functions->flags, functions->input_count, functions->inputs,
                                  functions->result, functions->result_count, functions->identity != NULL);
    if (!made) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for an operator");
    made->functions = *functions;
    made->hash = hash_of(made, NULL);
    user_functions_open(made);
    return finish_op(NULL, made, op);
}
