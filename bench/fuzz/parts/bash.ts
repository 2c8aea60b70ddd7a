import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'

/** Quotes a text as one word of a command line. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Programs that only report the words they were run with. */
const names = ['git', 'node', 'make', 'tar']
const word = fc.constantFrom('git', 'node', 'make', 'stash', 'push', 'status', '-e', 'a', 'git push', '')
const variable = fc.constantFrom('A', 'B', 'C')
const anyVariable = fc.constantFrom('A', 'B', 'C', '1', '2', '@', '*', '_', 'REPLY')

/** Ways to write a word, most of which depend on earlier commands. */
const part: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...names, 'stash', 'push', 'status', 'a') },
  { weight: 3, arbitrary: variable.map((name) => `$${name}`) },
  word.map((each) => `'${each}'`), word.map((each) => `"${each}"`), anyVariable.map((name) => `"$${name}"`), anyVariable.map((name) => `\${${name}}`),
  fc.constantFrom('{git,stash}', '{push,}', "$'\\x61'", '\\git', 'sta[s]h', '$#'),
  fc.tuple(variable, fc.constantFrom(':-', '-', ':+', '+', ':=', '='), word).map(([name, how, value]) => `\${${name}${how}${value}}`),
  word.map((value) => `$(echo ${value})`), variable.map((name) => `"$(echo $${name})"`)
)
const text = fc.oneof({ weight: 5, arbitrary: part }, fc.tuple(part, part).map((parts) => parts.join('')))

const program = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names, 'git', 'f', 'command git', 'nice git', 'env A=1 node') }, variable.map((name) => `$${name}`), variable.map((name) => `$${name} git`))
const call = fc.tuple(program, fc.array(text, { maxLength: 2 })).map((parts) => parts.flat().join(' '))
const assignment = fc.tuple(variable, fc.constantFrom('=', '=', '=', '+='), text).map((parts) => parts.join(''))

/** Lines in which each construct may change the meaning of the others. */
const one: fc.Memo<string> = fc.memo((depth) => depth <= 1
  ? fc.oneof(
    { weight: 6, arbitrary: call }, { weight: 5, arbitrary: assignment }, fc.tuple(assignment, call).map((parts) => parts.join(' ')),
    fc.tuple(fc.constantFrom('export', 'declare', 'local', 'declare -g', 'declare -u', ':'), assignment).map((parts) => parts.join(' ')),
    fc.tuple(assignment, fc.constantFrom(':', 'export C', 'eval', 'f')).map((parts) => parts.join(' ')),
    variable.map((name) => `unset ${name}`), fc.tuple(variable, word).map(([name, value]) => `read -r ${name} <<< '${value}'`), fc.tuple(variable, text).map(([name, value]) => `printf -v ${name} %s ${value}`),
    fc.array(text, { maxLength: 3 }).map((words) => `set -- ${words.join(' ')}`), fc.constantFrom('shift', 'true', 'false', 'break', 'return', 'unset -f f'), call.map((body) => `trap ${quoted(body)} EXIT`)
  )
  : fc.oneof(
    { weight: 4, arbitrary: one(1) }, many().map((body) => `f() { ${body}; }`), many().map((body) => `(${body})`), many().map((body) => `{ ${body}; }`),
    fc.tuple(one(1), fc.constantFrom('&&', '||', '|', '|&'), one(1)).map((parts) => parts.join(' ')),
    fc.tuple(variable, fc.array(text, { minLength: 1, maxLength: 2 }), many()).map(([name, words, body]) => `for ${name} in ${words.join(' ')}; do ${body}; done`),
    fc.tuple(one(1), many(), many()).map(([test, yes, no]) => `if ${test}; then ${yes}; else ${no}; fi`), fc.tuple(text, text, many()).map(([of, pattern, body]) => `case ${of} in ${pattern}) ${body};; *) ${body};; esac`),
    fc.tuple(one(1), many()).map(([test, body]) => `until ${test}; do ${body}; break; done`), many().map((body) => `bash -c ${quoted(body)} x git stash`),
    many().map((body) => `: "$(${body})"`), one(1).map((body) => `: ${'`'}${body.replaceAll(/[\\`$]/g, '\\$&')}${'`'}`), many().map((body) => `bash -c ${quoted(body)}`)
  ))
const many = (): fc.Arbitrary<string> => fc.array(one(1), { minLength: 1, maxLength: 3 }).map((lines) => lines.join('; '))
const line = fc.tuple(fc.constantFrom('', '', 'A=git; B=stash; C=push; ', 'A=git B=; ', 'set -- git push; '), fc.array(one(2), { minLength: 1, maxLength: 4 })).map(([start, lines]) => start + lines.join('; '))

/** Generates command lines, and runs one in bash: returns each call as a line of literal words. */
export function bashLines (folder: string): { line: fc.Arbitrary<string>, runs (line: string): string[] } {
  const place = mkdtempSync(join(folder, 'bash-'))
  const programs = join(place, 'programs')
  const log = join(place, 'log')
  mkdirSync(programs)
  for (const name of names) {
    writeFileSync(join(programs, name), `#!/bin/sh\nfor word in ${name} "$@"; do printf '%s\\0' "$word"; done >> ${log}\nprintf '\\n\\0' >> ${log}\n`, { mode: 0o755 })
  }
  const runs = (text: string): string[] => {
    writeFileSync(log, '')
    const work = mkdtempSync(join(place, 'work-'))
    spawnSync('bash', ['-c', text], { cwd: work, env: { PATH: `${programs}:/usr/bin:/bin`, HOME: work }, timeout: 5_000, stdio: 'ignore' })
    rmSync(work, { recursive: true, force: true })
    return readFileSync(log, 'utf8').split('\n\0').slice(0, -1).map((words) => words.split('\0').slice(0, -1))
      .map(([program = '', ...args]) => [program, ...args.map(quoted)].join(' '))
  }
  return { line, runs }
}
