/* SPDX-License-Identifier: MIT
 *
 * inside_simt_rewrite.c - users' CUDA C as the host's compiler gets it: entries where kernels are, and nothing else
 * changed; lines stay lines in any text whatever. */
#include "gpu/simt_source.h"
#include "test.h"

static void becomes(const char *text, const char *want)
{
    char *got = simt_rewrite(text);
    if (CHECK(got != NULL) && !CHECK(strcmp(got, want) == 0)) fprintf(stderr, "    got: %s\n", got);
    free(got);
}

static void same(const char *text)
{
    becomes(text, text);
}

static int lines(const char *text)
{
    int count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

/* Words that mean something, in any order: no crash, no line lost. */
static void random_texts(void)
{
    static const char *const words[] = {
        "__global__", "extern", "__shared__", "template", "{",  "}",     "(",       ")",
        "[",          "]",      ";",          "\"",       "'",  "//",    "/*",      "*/",
        "\n",         "void",   "f",          "int",      "\\", "<",     ">",       "1'000",
        "__align__",  "(16)",   "x",          " ",        "\t", "\"C\"", "alignas", "__launch_bounds__"};
    for (int i = 0; i < 20000; i++) {
        char text[400] = "";
        size_t used = 0;
        int count = (int)test_random_below(40);
        for (int k = 0; k < count; k++) {
            const char *word = words[test_random_below(sizeof words / sizeof words[0])];
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", word, test_random_below(3) ? " " : "");
            if (used + 24 > sizeof text) break;
        }
        char *got = simt_rewrite(text);
        if (CHECK(got != NULL) && !CHECK_EQUAL_I64(lines(got), lines(text))) fprintf(stderr, "    text: %s\n", text);
        free(got);
    }
}

int main(void)
{
    CASE("kernels")
    {
        becomes("__global__ void f(int *x) { *x = 1; }", "__global__ void f(int *x) { *x = 1; } SIMT_ENTRY(f)");
        becomes("extern \"C\" __global__ void\nf() {{ {} }}\n",
                "extern \"C\" __global__ void\nf() {{ {} }} SIMT_ENTRY(f)\n");
        becomes("namespace a { __global__ void __launch_bounds__(64, 2) f() {} }",
                "namespace a { __global__ void __launch_bounds__(64, 2) f() {} SIMT_ENTRY(f) }");
        becomes("static __global__ void f(int (*g)(int), int n = sizeof(int)) { if (n) {} }",
                "static __global__ void f(int (*g)(int), int n = sizeof(int)) { if (n) {} } SIMT_ENTRY(f)");
        becomes("__global__ void f(); __global__ void g() { }",
                "__global__ void f(); __global__ void g() { } SIMT_ENTRY(g)");
        becomes("__global__ void f() { char c = '}'; /* } */ // }\n }",
                "__global__ void f() { char c = '}'; /* } */ // }\n } SIMT_ENTRY(f)");
        becomes("template <int n> struct s {}; __global__ void f() {}",
                "template <int n> struct s {}; __global__ void f() {} SIMT_ENTRY(f)");
    }
    CASE("what is none")
    {
        same("template <class T> __global__ void f(T *x) { x[0] = 1; }");
        same("// __global__ void f() {}\n/* __global__ void g() {} */ const char *t = \"__global__ void h() {}\";");
        same("__device__ void f() {}");
        same("__global__ void f(int);");
        same("int x = 1'000'000; __shared__ int y[3]; extern int z;");
        same("");
    }
    CASE("dynamic shared memory")
    {
        becomes("extern __shared__ float x[];", "static simt_dynamic_shared<float > x;");
        becomes("extern __shared__ __align__(16) unsigned long long\n  x [ ] ;",
                "static simt_dynamic_shared<unsigned long long\n  > x;");
        becomes("extern /* a */ __shared__\nint x[];", "static simt_dynamic_shared<int > x\n;");
        same("extern __shared__ int x;");
        same("extern int __shared__x[];");
    }
    CASE("conditions")
    {
        becomes("__global__ void a(int n) {\n#ifdef X\nif (n > 1) {\n#else\nif (n > 2) {\n#endif\n} }\n"
                "__global__ void b() {}",
                "__global__ void a(int n) {\n#ifdef X\nif (n > 1) {\n#else\nif (n > 2) {\n#endif\n} } SIMT_ENTRY(a)\n"
                "__global__ void b() {} SIMT_ENTRY(b)");
        becomes("#if 0\n it's { not ( C\n#endif\n__global__ void f() {}",
                "#if 0\n it's { not ( C\n#endif\n__global__ void f() {} SIMT_ENTRY(f)");
        becomes(" # define BEGIN {\n__global__ void f() { const char *t = R\"x()\" { ( )x\"; }",
                " # define BEGIN {\n__global__ void f() { const char *t = R\"x()\" { ( )x\"; } SIMT_ENTRY(f)");
    }
    CASE("overloads")
    {
        becomes("__global__ void f(int) {} __global__ void f(float) {}",
                "__global__ void f(int) {} SIMT_ENTRY(f) __global__ void f(float) {}");
    }
    CASE("shared memory of a kernel")
    {
        becomes("__global__ void f() { extern __shared__ char\nx[]; int *y = (int *)x; }",
                "__global__ void f() { char\n*const x = static_cast<char *>(simt_module.self->shared); int *y = (int "
                "*)x; } "
                "SIMT_ENTRY(f)");
    }
    CASE("anything") random_texts();
    return test_finish("inside_simt_rewrite");
}
