/* eslint-disable no-template-curly-in-string -- these are command lines */

import { join } from 'node:path'
import fc from 'fast-check'
import t from '#test'
import { decide, type PolicyContext } from '../../../services/agent/policy/index.js'
import { readCounted } from '../../../services/agent/policy/shell/reading.js'
import { createTools, type Tool } from '../../../services/agent/tools/index.js'
import { shapes } from '../../support/policy-shapes.js'

const terminal = createTools().find(({ name }) => name === 'terminal') as Tool
const lands = { workspace: '/home/ann/workspace', home: '/home/ann/.svc', serviceRoots: ['/home/ann/.svc/webui'], userHome: '/home/ann' }
const context: PolicyContext = { ...lands, grants: new Set(['cmd:*', 'shell:*', 'shell:opaque']), yolo: false, attended: true }
const maxCharacters = 32_768

/** Returns the cost of parsing a command line: as the parser counts it, and as observed from outside. */
function cost (command: string): { steps: number, paths: number, pathCharacters: number, unfinished: boolean } {
  const looked = { paths: 0, pathCharacters: 0 }
  const { reading, steps } = readCounted({ command, lands }, (path) => {
    looked.paths++
    looked.pathCharacters += path.length
    return join(path, '.')
  })
  return { steps, ...looked, unfinished: reading.unfinished }
}

/** Whether the steps, and the number of files that are followed, grow at most linearly with the line. */
function isLinear (command: string, { steps, paths, pathCharacters } = cost(command)): boolean {
  return steps <= 5 * command.length + 16_000 && paths <= command.length / 2 + 2_000 && pathCharacters <= 64 * command.length + 260_000
}

t.test('work grows with the length of a command line, whatever its shape', async (t) => {
  for (const [name, shape] of Object.entries(shapes)) {
    for (const characters of [64, 512, maxCharacters]) {
      const command = shape(characters).slice(0, maxCharacters)
      const spent = cost(command)
      t.ok(isLinear(command, spent), `${name}: ${characters} characters take ${JSON.stringify(spent)}`)
    }
  }
})

t.test('what is repeated is not read again inside of itself', async (t) => {
  for (const name of ['find -exec', 'one find with many -exec', 'one find with many complete -exec', 'find -exec sh -c', 'sudo', 'xargs', 'ssh']) {
    const [few, many] = [512, 2_048].map((characters) => cost((shapes[name] as (characters: number) => string)(characters)).steps) as [number, number]
    t.ok(many <= 6 * few, `${name}: four times the length takes ${(many / few).toFixed(1)} times the work`)
  }
})

t.test('what is too much work is asked about once, by whomever it was allowed', async (t) => {
  const unfinished = Object.entries(shapes).map(([name, shape]) => [name, shape(maxCharacters).slice(0, maxCharacters)] as const).filter(([, command]) => cost(command).unfinished)
  t.ok(unfinished.length > 20, `${unfinished.length} shapes end this way`)
  for (const [name, command] of unfinished) {
    const call = { tool: terminal, args: { command } }
    const { reading } = readCounted({ command, lands })
    for (const changes of [{}, { yolo: true }, { sandboxed: true }, { sandboxed: true, yolo: true }]) {
      const verdict = decide(call, { ...context, ...changes }, reading)
      if (verdict.verdict === 'forbid') t.match(verdict.reason, /never run/, `${name}: what was found before counts`)
      else t.match(verdict, { verdict: 'ask', maxScope: 'once', patternKey: 'shell:opaque', description: /cannot be checked in advance: (?:checking )?it / }, `${name} ${JSON.stringify(changes)}`)
      t.equal(decide(call, { ...context, ...changes, attended: false }, reading).verdict, 'forbid', `${name}: nobody is there`)
    }
  }
})

t.test('what stands behind it is not taken for harmless', async (t) => {
  for (const burnt of ['rm x; '.repeat(4_000), 'find a b c d -exec echo {} + ; '.repeat(900), `f() { ${'rm x;'.repeat(300)} }; ${'f;'.repeat(300)}`, 'X=a;X=$X$X;'.repeat(400)]) {
    const verdict = decide({ tool: terminal, args: { command: `${burnt}rm -rf /` } }, { ...context, yolo: true })
    t.not(verdict.verdict, 'allow', burnt.slice(0, 30))
  }
})

t.test('everyday commands are read to their end', async (t) => {
  const long = `cat > notes.md <<'EOF'\n${'A line of text with (brackets), "quotes" and $dollars.\n'.repeat(500)}EOF`
  const everyday = [
    'git add . && git commit -m "$(cat <<\'EOF\'\nA message\n\nwith a body\nEOF\n)"', long, 'for f in src/*.ts; do sed -i "s/a/b/" "$f"; done; npm test 2>&1 | tail -40',
    `git commit -m "$(cat <<'EOF'\n${'A long line of a message. '.repeat(100)}\nEOF\n)"`, 'cd a && make && cd ../b && make && cd ../c && make', `npx eslint ${Array.from({ length: 60 }, (_, index) => `src/file-${index}.ts`).join(' ')}`,
    'find . -name "*.ts" -not -path "*/node_modules/*" -exec grep -l foo {} + | xargs sed -i s/foo/bar/g', 'diff <(sort a) <(sort b) | grep "^>" | cut -c3- | while read -r line; do echo "${line}"; done'
  ]
  for (const command of everyday) t.notOk(cost(command).unfinished, `${command.slice(0, 60)} ${JSON.stringify(cost(command))}`)
})

const word = fc.constantFrom('a', '/etc/x', '$X', '"$X b"', '{a,b}', '*', '$(ls)', '`ls`', '"$@"', '~', 'X=$X$X', '${X:-$Y}', '-exec', '{}', '+', '\\;', '-c', '<(ls)', '> a', '<<< a', '\'rm x; ls\'')
const program = fc.constantFrom('rm', 'find', 'cd', 'sudo', 'eval', 'bash -c', 'xargs -I{}', 'env', 'git', 'f', 'echo', 'set --', 'alias', 'parallel', 'sed', 'docker run', '$X', 'trap', 'npx', 'let')
const simple = fc.tuple(program, fc.array(word, { maxLength: 8 })).map(([name, words]) => [name, ...words].join(' '))
const { line } = fc.letrec<{ line: string }>((tie) => ({
  line: fc.oneof({ maxDepth: 5 }, simple,
    fc.array(tie('line'), { minLength: 1, maxLength: 5 }).map((lines) => lines.join('; ')), fc.array(tie('line'), { minLength: 1, maxLength: 4 }).map((lines) => lines.join(' | ')),
    tie('line').map((inner) => `echo $(${inner})`), tie('line').map((inner) => `eval '${inner.replaceAll("'", '"')}'`), tie('line').map((inner) => `f() { ${inner}; }; f a`),
    tie('line').map((inner) => `bash -c '${inner.replaceAll("'", '"')}' _ $X`), tie('line').map((inner) => `for X in a b $X; do ${inner}; done`), tie('line').map((inner) => `bash <<E\n${inner}\nE\n`),
    tie('line').map((inner) => `X="${inner.replaceAll('"', "'")}"; $X`), tie('line').map((inner) => `find a b -exec ${inner} \\;`), tie('line').map((inner) => `sudo ${inner}`))
}))

t.test('work grows with the length of whatever the model writes', async (t) => {
  fc.assert(fc.property(line, fc.constantFrom(1, 10, 100), (piece, times) => isLinear(`${piece}\n`.repeat(times).slice(0, maxCharacters))), { numRuns: 150 })
  t.pass()
})
