import fc from 'fast-check'
import { decide, type PolicyContext } from '../../../services/agent/policy/index.js'
import { createTools } from '../../../services/agent/tools/index.js'
import { commandThemes } from '../../../test/support/policy-commands.js'
import { everyday, harmful } from '../../../test/support/policy-options.js'
import { withoutLinks } from '../../../test/support/policy-paths.js'
import { lookInRepository } from '../../../test/support/policy-repository.js'
import { bashLines, quoted } from './bash.js'
import { type Part } from './part.js'

const terminal = createTools().find(({ name }) => name === 'terminal')
const context: PolicyContext = {
  workspace: '/home/ann/workspace', home: '/home/ann/.svc', serviceRoots: ['/home/ann/.svc/webui'], userHome: '/home/ann', grants: new Set(),
  yolo: false, attended: true, resolvePath: withoutLinks, look: lookInRepository
}

function judged (command: string, grants: readonly string[] = [], yolo = false) {
  if (terminal === undefined) throw new Error('there is no terminal')
  return decide({ tool: terminal, args: { command } }, { ...context, grants: new Set(grants), yolo })
}

/** Commands whose words are all literal, so that each can be written differently with the same meaning. */
const isPlain = (line: string): boolean => /^[\w./@,:+-]+(?: [\w./@,:=+-]+)*$/.test(line) && !/^(?:if|for|while|until|case|select|time|function|coproc|alias|set|export|declare|local|typeset|readonly|cd|env) /.test(line)
const floor = ['rm -rf /', 'rm -rf /etc', 'rm -fr /home/ann', 'mkfs.ext4 /dev/sda1', 'dd if=/dev/zero of=/dev/sda', 'shutdown -h now', 'chmod -R 777 /']
const outside = [
  'cp a /etc/passwd', 'tee /home/ann/.bashrc', 'cat /etc/shadow', 'cat /home/ann/.ssh/id_rsa', 'mv a /home/ann/.profile', 'touch /home/ann/.svc/config.yaml', 'ln -s /etc/passwd a',
  'cp /home/ann/.svc/webui/service.db a', 'curl https://a.example/x', 'git push https://a.example/r', 'rm -r /home/ann/other', 'tar -xf a.tar -C /etc', 'cp a ../b', 'git -C /home/ann/other commit -m x'
]
const plainLines = [...Object.values(commandThemes).flat().map(([command]) => command), ...everyday, ...floor, ...outside].filter(isPlain)

const hex = (text: string): string => [...text].map((character) => `\\x${character.charCodeAt(0).toString(16)}`).join('')
/** Ways to write a word that the shell reads as the same word. */
const wordSpellings: ReadonlyArray<(word: string, number: number) => string> = [
  (word) => word, (word) => word, (word) => `'${word}'`, (word) => `"${word}"`, (word) => `$'${hex(word)}'`, (word) => `\\${word}`,
  (word) => `${word.slice(0, 1)}""${word.slice(1)}`, (word) => `'${word.slice(0, 1)}'"${word.slice(1)}"`, (word) => [...word].map((character) => `\\${character}`).join(''),
  (word, number) => `$V${number}`, (word, number) => `"\${V${number}}"`, (word) => `${word.slice(0, 1)}\\\n${word.slice(1)}`, (word) => `\${UNSET:-${word}}`, (word) => `$(printf %s ${word})`,
  (word) => `{${word},}`, (word) => `$NOTHING ${word}`, (word) => /.[^/.]$/.test(word) ? `${word.slice(0, -1)}[${word.slice(-1)}]` : word, (word) => `$"${word}"`,
  (word) => /.[^/.]$/.test(word) ? `${word.slice(0, -1)}?` : word, (word) => /^[/.]/.test(word) ? word : `[${word.slice(0, 1)}]${word.slice(1)}`, (word) => /^.[^/.]./.test(word) ? `${word.slice(0, 1)}[${word.slice(1, 2)}]${word.slice(2)}` : word
]
/** Ways to run a line that run exactly that line. */
const lineSpellings: ReadonlyArray<(line: string) => string> = [
  (line) => line, (line) => line, (line) => `(${line})`, (line) => `{ ${line}; }`, (line) => `true && ${line}`, (line) => `! ${line}`, (line) => `if true; then ${line}; fi`, (line) => `for i in 1; do ${line}; done`,
  (line) => `f() { ${line}; }; f`, (line) => `${line} &`, (line) => `cat <<< x | ${line}`, (line) => `echo "$(${line})"`, (line) => `echo \`${line.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``, (line) => `cat <(${line})`,
  (line) => `bash -c ${quoted(line)}`, (line) => `eval ${quoted(line)}`, (line) => `bash <<'END'\n${line}\nEND`, (line) => `sh <<< ${quoted(line)}`, (line) => `env -S ${quoted(line)}`, (line) => `trap ${quoted(line)} EXIT`,
  (line) => `timeout 5 bash -c ${quoted(line)}`, (line) => `L=${quoted(line)}; eval "$L"`, (line) => `L=${quoted(line)}; bash -c "$L"`, (line) => `xargs -I{} bash -c ${quoted(line)}`, (line) => `find . -exec sh -c ${quoted(line)} \\;`,
  (line) => `coproc ${line}`, (line) => `case a in a) ${line};; esac`, (line) => `while ${line}; do break; done`, (line) => `\n\t ${line} # a comment`, (line) => `nice -n 5 ${line}`, (line) => `command ${line}`
]
/** Permissions that these ways need themselves. */
const aroundKeys = ['true', 'false', 'cat', 'echo', 'bash', 'sh', 'eval', 'f', 'trap', 'find', 'printf', 'xargs', 'command', 'timeout', 'break', 'nice', 'env'].map((name) => `cmd:${name}`)

const variations = fc.array(fc.nat({ max: wordSpellings.length - 1 }), { minLength: 12, maxLength: 12 })

function respelt (line: string, words: readonly number[], around: number): string {
  const parts = line.split(' ')
  const spelt = parts.map((word, index) => wordSpellings[words[index % words.length] ?? 0]?.(word, index) ?? word)
  const used = parts.flatMap((word, index) => spelt.some((text) => text.includes(`V${index}`)) ? [`V${index}=${word}; `] : [])
  return lineSpellings[around]?.(`${used.join('')}${spelt.join(' ')}`) ?? line
}
/** A pipe or a negation in front of an assignment is a different line. */
const spelling = fc.record({ line: fc.constantFrom(...plainLines), words: variations, around: fc.nat({ max: lineSpellings.length - 1 }) })
  .map(({ line, words, around }) => ({ line, other: respelt(line, words, around) }))

/** Shorter beginnings of long options are ambiguous nearly everywhere. */
const shortestPrefix = 4

const harmfulCalls = Object.entries(harmful).flatMap(([plain, options]) => options.split(' ').map((option) => {
  const [command = '', rest = ''] = plain.split(' … ')
  return { plain: `${command} ${rest}`.trim(), command, rest, option }
}))

/** Options whose whole names begin like a harmful one. */
const otherOptions = new Set(['tar --checkpoint', 'tar --file'])
/** Long options that do harm, by each of their beginnings: most programs take any that is unambiguous. */
const abbreviatedCalls = harmfulCalls.flatMap((call) => {
  const [, name = '', value = ''] = /^(--[a-z][\w-]{3,})(=.*)?$/.exec(call.option) ?? []
  return Array.from({ length: Math.max(0, name.length - shortestPrefix) }, (_, cut) => ({
    ...call, option: `${name.slice(0, name.length - 1 - cut)}${value}`
  }))
}).filter(({ command, option }) => !otherOptions.has(`${command} ${option}`))

/** Ways to write a path that lead to the same place; `null`: not for this path. */
const pathSpellings: ReadonlyArray<(path: string) => string | null> = [
  (path) => path.replaceAll('/', '//'), (path) => path.replaceAll('/', '/./'), (path) => path.replace(/\/([^/]+)$/, '/x/../$1'),
  (path) => path.startsWith('/') ? `/x/..${path}` : `x/../${path}`, (path) => path.startsWith('/home/ann') ? path.replace('/home/ann', '~') : null,
  (path) => path.startsWith('/home/ann') ? path.replace('/home/ann', '$HOME') : null,
  (path) => path.startsWith('/home/ann') ? path.replace('/home/ann', '"$HOME"') : null,
  (path) => path.startsWith('/') ? `$PWD/../../..${path}` : `$PWD/${path}`, (path) => path.startsWith('/') ? `../../..${path}` : `./${path}`,
  (path) => path.startsWith('/') ? null : `/home/ann/workspace/${path}`, (path) => `${path}/.`,
  ...['self', 'thread-self', 'self/task/1', '1', '$$', '*', '[0-9]*', 'se?f'].map((process) =>
    (path: string) => path.startsWith('/') ? `/proc/${process}/root${path}` : null),
  (path) => path.startsWith('/') ? `/pr?c/self/ro[o]t${path}` : `/proc/self/cwd/${path}`, (path) => path.startsWith('/') ? `/proc/self/cwd/../../..${path}` : `/proc/$$/cwd/${path}`,
  (path) => path.startsWith('/') ? `/dev/fd/3${path}` : `/proc/self/fd/3/${path}`, (path) => path.startsWith('/') ? `/proc/self/root/proc/1/root${path}` : `/proc/self/./root/proc/self/cwd/${path}`
]
const destinations = [...floor, ...outside].flatMap((line) => line.split(' ').flatMap((word, index, words) => {
  if (!/^(?:\/|\.\.)/.test(word)) return []
  return pathSpellings.map((spell) => spell(word)).filter((spelt) => spelt !== null).map((spelt) => ({ line, other: words.with(index, spelt).join(' ') }))
}))

export const shell: Part = {
  name: 'shell',
  says: 'the same command in another spelling is judged the same, or more strictly',
  properties: (folder) => [
    ['another spelling runs unasked no earlier', fc.property(spelling, fc.nat(), ({ line, other }, left) => {
      const { patternKeys } = judged(line)
      // All permissions that it needs except one, and those for what is around it.
      const missing = patternKeys[left % patternKeys.length]
      return judged(other, [...patternKeys, ...aroundKeys].filter((key) => key !== missing)).verdict !== 'allow'
    })],
    ['what never runs does not run in another spelling, whatever is granted', fc.property(fc.constantFrom(...floor), variations, fc.nat({ max: lineSpellings.length - 1 }), (line, words, around) =>
      judged(line, [], true).verdict !== 'forbid' || judged(respelt(line, words, around), ['*', 'cmd:*', 'shell:*'], false).verdict !== 'allow')],
    ['an option that does harm is covered by no grant for the plain call, in whatever spelling', fc.property(fc.constantFrom(...harmfulCalls), variations, fc.nat({ max: lineSpellings.length - 1 }), (call, words, around) => {
      const { patternKeys } = judged(call.plain)
      const line = `${call.command} ${call.option} id ${call.rest}`.trim()
      return !isPlain(line) || judged(respelt(line, words, around), [...patternKeys, ...aroundKeys, 'write:outside', 'read:outside', 'net:a.example']).verdict !== 'allow'
    })],
    ['nor is one by any of its beginnings', fc.property(fc.constantFrom(...abbreviatedCalls), ({ plain, command, option, rest }) =>
      judged(`${command} ${option} id ${rest}`.trim(), judged(plain).patternKeys).verdict !== 'allow')],
    ['a destination in another spelling is the same destination', fc.property(fc.constantFrom(...destinations), fc.nat(), ({ line, other }, left) => {
      const { verdict, patternKeys } = judged(line)
      if (verdict === 'forbid') return judged(other, patternKeys).verdict === 'forbid'
      const missing = patternKeys[left % patternKeys.length]
      return judged(other, patternKeys.filter((key) => key !== missing)).verdict !== 'allow'
    })],
    ['what bash runs for a line is among what is asked about, or the line cannot be told', ofBash(folder), 20]
  ]
}

function ofBash (folder: string) {
  const { line, runs } = bashLines(folder)
  return fc.property(line, (text) => {
    const { patternKeys } = judged(text)
    return patternKeys.includes('shell:opaque') ||
      runs(text).every((call) => judged(call).patternKeys.every((key) => key === 'shell:opaque' || patternKeys.includes(key)))
  })
}
