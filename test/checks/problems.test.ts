import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '#test'
import { pathsIn } from '../../services/areas/checks/here.js'
import { problemsIn as problemsOf, type Problems } from '../../services/areas/checks/problems/index.js'

/**
 * Expected problems for each output: `path:line:column severity code text`, with - for unknown values; `?` before a path that
 * is not a link.
 */
const samples: Array<[name: string, output: string, expected: string[]]> = [
  ['tsc', 'src/a.ts(12,5): error TS2322: Type \'string\' is not assignable to type \'number\'.\n',
    ["src/a.ts:12:5 error TS2322 Type 'string' is not assignable to type 'number'."]],
  ['tsc --pretty', 'src/a.ts:12:5 - error TS2322: Type \'string\' is not assignable.\n\n12     x = \'\'\n       ~\n\nFound 1 error in src/a.ts:12\n',
    ["src/a.ts:12:5 error TS2322 Type 'string' is not assignable."]],
  ['ESLint stylish', '\n{folder}/src/a.js\n  1:10  error    \'x\' is defined but never used  no-unused-vars\n  3:1   warning  Unexpected console statement  no-console\n\n✖ 2 problems (1 error, 1 warning)\n',
    ["src/a.js:1:10 error no-unused-vars 'x' is defined but never used", 'src/a.js:3:1 warning no-console Unexpected console statement']],
  ['ESLint unix', '{folder}/src/a.js:1:10: \'x\' is defined but never used. [Error/no-unused-vars]\n{folder}/src/a.js:3:1: Unexpected console statement. [Warning/no-console]\n\n2 problems\n',
    ["src/a.js:1:10 error no-unused-vars 'x' is defined but never used.", 'src/a.js:3:1 warning no-console Unexpected console statement.']],
  ['ESLint JSON behind npm', '\n> app@1.0.0 lint\n> eslint -f json .\n\n[{"filePath":"{folder}/src/a.js","messages":[{"ruleId":"no-undef","severity":2,"message":"\'y\' is not defined.","line":2,"column":3},{"ruleId":null,"severity":1,"message":"Ignored.","line":1,"column":1}]}]\n',
    ["src/a.js:2:3 error no-undef 'y' is not defined.", 'src/a.js:1:1 warning - Ignored.']],
  ['oxlint', '\n  x eslint(no-unused-vars): Variable \'x\' is declared but never used.\n   ,-[src/a.ts:1:7]\n 1 | const x = 1\n   :       |\n   `----\n  help: Consider removing this declaration.\n\nFound 0 warnings and 1 error.\n',
    ["src/a.ts:1:7 error eslint(no-unused-vars) Variable 'x' is declared but never used."]],
  ['oxlint, drawn', '  ⚠ eslint(no-debugger): `debugger` statement is not allowed\n   ╭─[src/a.ts:2:1]\n 2 │ debugger\n',
    ['src/a.ts:2:1 warning eslint(no-debugger) `debugger` statement is not allowed']],
  ['oxlint unix', 'src/a.ts:1:7: Variable \'x\' is declared but never used. [Error/no-unused-vars]\n\n1 problem\n',
    ["src/a.ts:1:7 error no-unused-vars Variable 'x' is declared but never used."]],
  ['oxlint JSON', '{ "diagnostics": [{"message": "Unused.","code": "eslint(no-unused-vars)","severity": "warning","filename": "src/a.ts","labels": [{"span": {"offset": 6,"length": 1,"line": 1,"column": 7}}]}],"number_of_files": 1 }',
    ['src/a.ts:1:7 warning eslint(no-unused-vars) Unused.']],
  ['Biome', 'src/a.ts:1:7 lint/style/useConst  FIXABLE  ━━━━━━━━━━\n\n  × This let declares a variable that is only assigned once.\n\n  > 1 │ let x = 1\n',
    ['src/a.ts:1:7 error lint/style/useConst This let declares a variable that is only assigned once.']],
  ['stylelint', '\nsrc/a.css\n  2:10  ✖  Unexpected unknown unit "x"  unit-no-unknown\n  3:1   ⚠  Unexpected empty block  block-no-empty\n\n2 problems\n',
    ['src/a.css:2:10 error unit-no-unknown Unexpected unknown unit "x"', 'src/a.css:3:1 warning block-no-empty Unexpected empty block']],
  ['gcc', 'src/main.c: In function \'main\':\nsrc/main.c:3:5: error: expected \';\' before \'return\'\n    3 |     return 0;\nsrc/main.c:2:9: warning: unused variable \'x\' [-Wunused-variable]\nsrc/main.c:1:1: note: declared here\n',
    ["src/main.c:3:5 error - expected ';' before 'return'", "src/main.c:2:9 warning -Wunused-variable unused variable 'x'", 'src/main.c:1:1 info - declared here']],
  ['clang fatal', 'src/main.c:1:10: fatal error: \'nope.h\' file not found\n', ["src/main.c:1:10 error - 'nope.h' file not found"]],
  ['go build', '# example.com/app\n./main.go:5:2: undefined: x\n./main.go:7:9: cannot use "a" (untyped string constant) as int value in return statement\n',
    ['main.go:5:2 error - undefined: x', 'main.go:7:9 error - cannot use "a" (untyped string constant) as int value in return statement']],
  ['go vet', 'vet: ./main.go:5:2: undefined: x\n', ['main.go:5:2 error - undefined: x']],
  ['go test', '--- FAIL: TestAdd (0.00s)\n    add_test.go:8: Add(1, 2) = 4, want 3\nFAIL\nFAIL\texample.com/app\t0.002s\n', ['add_test.go:8:- error - Add(1, 2) = 4, want 3']],
  ['golangci-lint', 'main.go:5:2: ineffectual assignment to x (ineffassign)\n', ['main.go:5:2 error ineffassign ineffectual assignment to x']],
  ['Ruff concise', 'src/a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n', ['src/a.py:1:8 error F401 `os` imported but unused']],
  ['Ruff full', 'F401 [*] `os` imported but unused\n --> src/a.py:1:8\n  |\n1 | import os\n', ['src/a.py:1:8 error F401 `os` imported but unused']],
  ['Ruff JSON', '[{"code":"F401","message":"unused","filename":"{folder}/src/a.py","location":{"row":1,"column":8}}]', ['src/a.py:1:8 error F401 unused']],
  ['flake8', 'src/a.py:1:1: E302 expected 2 blank lines, found 1\n', ['src/a.py:1:1 error E302 expected 2 blank lines, found 1']],
  ['mypy', 'src/a.py:3: error: Incompatible return value type (got "str", expected "int")  [return-value]\nsrc/a.py:4: note: See docs\nFound 1 error in 1 file (checked 1 source file)\n',
    ['src/a.py:3:- error return-value Incompatible return value type (got "str", expected "int")', 'src/a.py:4:- info - See docs']],
  ['mypy with columns', 'src/a.py:3:12: error: Name "x" is not defined  [name-defined]\n', ['src/a.py:3:12 error name-defined Name "x" is not defined']],
  ['Pyright', '{folder}/src/a.py\n  {folder}/src/a.py:3:12 - error: "x" is not defined (reportUndefinedVariable)\n1 error, 0 warnings\n',
    ['src/a.py:3:12 error reportUndefinedVariable "x" is not defined']],
  ['pylint', '************* Module a\nsrc/a.py:1:0: C0114: Missing module docstring (missing-module-docstring)\n', ['src/a.py:1:- error C0114 Missing module docstring (missing-module-docstring)']],
  ['rustc', 'error[E0425]: cannot find value `x` in this scope\n --> src/main.rs:2:5\n  |\n2 |     x\n  |     ^ not found\n\nwarning: unused variable: `y`\n --> src/main.rs:1:9\n\nerror: aborting due to 1 previous error\n',
    ['src/main.rs:2:5 error E0425 cannot find value `x` in this scope', 'src/main.rs:1:9 warning - unused variable: `y`']],
  ['clippy', 'warning: this `if` has identical blocks\n   --> src/main.rs:4:16\n    |\n', ['src/main.rs:4:16 warning - this `if` has identical blocks']],
  ['cargo test', 'running 1 test\ntest tests::adds ... FAILED\n\nfailures:\n\n---- tests::adds stdout ----\n\nthread \'tests::adds\' panicked at src/main.rs:10:9:\nassertion `left == right` failed\n  left: 1\n right: 2\n',
    ['src/main.rs:10:9 error - tests::adds: assertion `left == right` failed']],
  ['cargo test, numbered threads', 'thread \'tests::adds\' (4242) panicked at src/main.rs:10:9:\nboom\n', ['src/main.rs:10:9 error - tests::adds: boom']],
  ['cargo test, old', 'thread \'tests::adds\' panicked at \'boom\', src/main.rs:10:9\n', ['src/main.rs:10:9 error - tests::adds: boom']],
  ['pytest', '=== FAILURES ===\n____ test_x ____\n\n    def test_x():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntests/test_a.py:5: AssertionError\n=== short test summary info ===\nFAILED tests/test_a.py::test_x - assert 1 == 2\n=== 1 failed in 0.02s ===\n',
    ['tests/test_a.py:5:- error AssertionError assert 1 == 2']],
  ['pytest, summary alone', 'FAILED tests/test_a.py::test_x - assert 1 == 2\n', ['tests/test_a.py:-:- error - test_x: assert 1 == 2']],
  ['pytest, collection', 'ERROR tests/test_a.py - ModuleNotFoundError: No module named \'nope\'\n', ["tests/test_a.py:-:- error - ModuleNotFoundError: No module named 'nope'"]],
  ['unittest', 'FAIL: test_x (tests.test_a.T)\n----------\nTraceback (most recent call last):\n  File "/usr/lib/python3.12/unittest/case.py", line 58, in run\n    pass\n  File "{folder}/tests/test_a.py", line 7, in test_x\n    self.assertEqual(1, 2)\n  File "/usr/lib/python3.12/unittest/case.py", line 885, in assertEqual\n    raise self.failureException(msg)\nAssertionError: 1 != 2\n\nRan 1 test in 0.000s\n',
    ['tests/test_a.py:7:- error - AssertionError: 1 != 2']],
  ['a syntax error of Python', '  File "{folder}/src/a.py", line 3\n    def f(\n         ^\nSyntaxError: \'(\' was never closed\n', ["src/a.py:3:- error - SyntaxError: '(' was never closed"]],
  ['node:test, spec', '✖ adds (1.2ms)\nℹ tests 1\n\n✖ failing tests:\n\ntest at test/a.test.js:4:1\n✖ adds (1.2ms)\n  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n  1 !== 2\n\n      at TestContext.<anonymous> (file://{folder}/test/a.test.js:5:10)\n      at Test.run (node:internal/test_runner/test:632:9)\n',
    ['test/a.test.js:4:1 error - adds: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:', 'test/a.test.js:5:10 error - adds: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:']],
  ['node:test, TAP', 'TAP version 13\nnot ok 1 - adds\n  ---\n  duration_ms: 1.1\n  location: \'{folder}/test/a.test.js:4:1\'\n  failureType: \'testCodeFailure\'\n  error: \'boom\'\n  ...\n', ['test/a.test.js:4:1 error - adds: boom']],
  ['Jest', 'FAIL test/a.test.js\n  ● math › adds\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 3\n    Received: 2\n\n      3 | test(\'adds\', () => {\n    > 4 |   expect(1 + 1).toBe(3)\n        |                 ^\n\n      at Object.toBe (test/a.test.js:4:17)\n',
    ['test/a.test.js:4:17 error - math › adds: expect(received).toBe(expected) // Object.is equality']],
  ['Vitest', ' FAIL  test/a.test.js > adds\nAssertionError: expected 2 to be 3 // Object.is equality\n\n- Expected\n+ Received\n\n ❯ test/a.test.js:5:15\n      3| test(\'adds\', () => {\n',
    ['test/a.test.js:5:15 error - test/a.test.js > adds: AssertionError: expected 2 to be 3 // Object.is equality']],
  ['an uncaught error of Node', '{folder}/src/a.js:3\n  boom()\n  ^\n\nReferenceError: boom is not defined\n    at Object.<anonymous> ({folder}/src/a.js:3:3)\n    at Module._compile (node:internal/modules/cjs/loader:1554:14)\n',
    ['src/a.js:3:3 error - ReferenceError: boom is not defined']],
  ['Deno check', 'TS2322 [ERROR]: Type \'string\' is not assignable to type \'number\'.\nconst x: number = \'\'\n      ^\n    at file://{folder}/src/a.ts:1:7\n\nerror: Type checking failed.\n', []],
  ['Deno lint', 'error[no-unused-vars]: `x` is never used\n --> {folder}/src/a.ts:1:7\n  |\n', ['src/a.ts:1:7 error no-unused-vars `x` is never used']],
  ['javac', 'src/A.java:3: error: \';\' expected\n        int x = 1\n                 ^\n1 error\n', ["src/A.java:3:- error - ';' expected"]],
  ['dotnet', '{folder}/src/A.cs(3,5): error CS1002: ; expected [{folder}/app.csproj]\n', ['src/A.cs:3:5 error CS1002 ; expected']],
  ['RuboCop', 'src/a.rb:1:1: C: Style/FrozenStringLiteralComment: Missing frozen string literal comment.\n', ['src/a.rb:1:1 warning Style/FrozenStringLiteralComment Missing frozen string literal comment.']],
  ['ShellCheck', 'src/a.sh:2:6: note: Double quote to prevent globbing and word splitting. [SC2086]\n', ['src/a.sh:2:6 info SC2086 Double quote to prevent globbing and word splitting.']],
  ['a workflow command', '::error file=src/a.js,line=1,col=2::Missing semicolon\n::warning file=src/a.js::Odd\n', ['src/a.js:1:2 error - Missing semicolon']],
  ['Swift', '{folder}/src/a.swift:3:5: error: cannot find \'x\' in scope\n', ["src/a.swift:3:5 error - cannot find 'x' in scope"]],
  ['no problems', '> app@1.0.0 test\n> node --test\n\n2026-11-29 08:12:18: started\nlistening on 127.0.0.1:8080: ok\nhttp://localhost:3000: ready\nmake: *** [Makefile:3: test] Error 1\nnote: 3:4: x\n12:30:45: tick\n✔ adds (1.2ms)\n', []],
  ['files that are elsewhere', '/etc/passwd:1:1: error: secret\n../outside.ts(1,2): error TS1: up\nlink/x.ts(3,4): error TS2: through a link\nsrc/gone.ts:1:1: error: gone\n/etc/hosts:1:1: said\n',
    ['?/etc/passwd:1:1 error - secret', '?../outside.ts:1:2 error TS1 up', '?link/x.ts:3:4 error TS2 through a link', '?src/gone.ts:1:1 error - gone']],
  ['the same twice', 'src/a.ts(1,2): error TS1: once\nsrc/a.ts(1,2): error TS1: once\n{folder}/src/a.ts(1,2): error TS1: once\n', ['src/a.ts:1:2 error TS1 once']]
]

const problemsIn = async (output: string, folder: string): Promise<Problems> => await problemsOf(output, async (files) => await pathsIn(folder, files))

function folderOf (t: { testdir: () => string }): string {
  const folder = join(realpathSync(t.testdir()), 'app')
  const files = [
    'src/a.ts', 'src/a.js', 'src/a.css', 'src/main.c', 'main.go', 'add_test.go', 'src/a.py', 'src/main.rs', 'tests/test_a.py', 'test/a.test.js', 'src/A.java',
    'src/A.cs', 'src/a.rb', 'src/a.sh', 'src/a.swift', '../outside.ts', '../elsewhere/x.ts'
  ]
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), '')
  }
  symlinkSync('../elsewhere', join(folder, 'link'))
  return folder
}

t.test('outputs of programs, and the problems in them', async (t) => {
  const folder = folderOf(t)
  for (const [name, output, expected] of samples) {
    const { problems, counts } = await problemsIn(output.replaceAll('{folder}', folder), folder)
    t.same(problems.map(({ path, file, line, column, severity, code, text }) =>
      `${path ?? `?${file}`}:${line ?? '-'}:${column ?? '-'} ${severity} ${code ?? '-'} ${text}`), expected, name)
    t.equal(counts.error + counts.warning + counts.info, expected.length, name)
  }
})

t.test('a hostile output is read in bounded time and size', async (t) => {
  const folder = folderOf(t)
  const bytes = 256 * 1024
  const fill = (text: string): string => text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes)
  const hostile = [
    fill('a'), fill('src/a.ts(1,2): error TS1: x\n'), fill('1:1:1:'), fill(' '), fill('src/a.ts:1: ' + ' x'.repeat(450) + ']\n'), fill('at ( at ( '), fill('\n  1:1  error  x'),
    fill('Traceback (most recent call last):\n'), fill('\n at a (b.js:1:1)\n'), fill('[{"a":'), fill(',-[a.ts:1:1]\n'), fill(' --> a.ts:1:1\n'), fill('(((((('), fill('::error a=b,'),
    fill(' File "a", line 1\n'), fill(`  File "${'x'.repeat(900)}", line 1\n`), fill('E   x\n') + '\na.py:1: E\n', Array.from({ length: 20_000 }, (_, line) => `src/a.ts(${line + 1},1): error TS1: x`).join('\n').slice(0, bytes),
    fill('\u202e\ud83d/x.ts:1:1: error: \u0000\n')
  ]
  for (const output of hostile) {
    let turns = 0
    const others = setInterval(() => { turns++ }, 1)
    const { problems } = await problemsIn(output, folder)
    clearInterval(others)
    if (/^ File "a"|^❯|^\n {2}1:1/.test(output)) t.ok(turns > 0, 'others get their turn meanwhile')
    t.ok(problems.length <= 500 && JSON.stringify(problems).length < 1024 * 1024, output.slice(0, 30))
  }
  const many = await problemsIn(Array.from({ length: 600 }, (_, line) => `src/a.ts(${line + 1},1): error TS1: x`).join('\n'), folder)
  t.match(many, { counts: { error: 600 } })
  t.equal(many.problems.length, 500)
})
