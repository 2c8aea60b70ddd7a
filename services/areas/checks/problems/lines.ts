import { above, problemAt, severityOf, type Matcher } from './problem.js'

// Each expression is anchored and has no nested repetition: reading a line takes linear time, whatever its text.

const isPath = (file: string): boolean => /[./\\]/.test(file) && !/^\d+(?:\.\d+)*$/.test(file)

/** tsc, MSBuild: `src/a.ts(12,5): error TS2322: …` */
const parenthesised: Matcher = (line) => {
  const match = /^\s*([^()\s][^()]*)\((\d+)(?:,(\d+))?(?:,\d+,\d+)?\)\s*:\s*(?:fatal )?(error|warning|info)\s+(?:([A-Z]+\d+)\s*)?:\s*(?!\s)(.*)$/.exec(line)
  if (match === null) return null
  const [, file = '', at, column, severity, code, text = ''] = match
  return problemAt(file.trim(), at, column, severityOf(severity), text.replace(/ \[[^\][]+proj\]$/, ''), { code: code ?? null })
}

/** tsc with colours, pyright: `src/a.ts:12:5 - error TS2322: …` */
const dashed: Matcher = (line) => {
  const match = /^\s*(\S.*?):(\d+):(\d+) - (error|warning|information)(?: ([A-Z]+\d+))?: (.*)$/.exec(line)
  if (match === null) return null
  const [, file = '', at, column, severity, code, text = ''] = match
  const rule = code ?? /\((report\w+)\)$/.exec(text)?.[1]
  return problemAt(file, at, column, severityOf(severity), text.replace(/ \(report\w+\)$/, ''), { code: rule ?? null })
}

/** A workflow command of GitHub: `::error file=a.js,line=1,col=2::…` */
const workflow: Matcher = (line) => {
  const [, severity] = /^::(error|warning|notice) /.exec(line) ?? []
  const end = line.indexOf('::', 2)
  if (severity === undefined || end === -1) return null
  const fields = new Map(line.slice(severity.length + 3, end).split(',').map((part) =>
    [part.slice(0, part.indexOf('=')).trim(), part.slice(part.indexOf('=') + 1)]))
  const file = fields.get('file')
  const text = line.slice(end + 2).replaceAll('%0A', '\n')
  return file === undefined
    ? null
    : problemAt(file, fields.get('line'), fields.get('col'), severityOf(severity === 'notice' ? 'note' : severity), text)
}

/** ESLint's and stylelint's own table: rows under the name of a file. */
const row: Matcher = (line, place) => {
  const match = /^\s+(\d+):(\d+)\s+(error|warning|info|warn|✖|×|⚠|‼|ℹ)\s+(?!\s)(.*)$/.exec(line)
  if (match === null) return null
  const [, at, column, severity, rest = ''] = match
  const file = above(place, 500, (before) =>
    before === '' || /^\s/.test(before) ? null : /^[^:*?"<>|]+$|^[A-Za-z]:\\/.test(before) ? before : '')
  if (file === null || file === '' || !isPath(file)) return null
  const parts = rest.trim().split(/\s{2,}/)
  const code = parts.length > 1 ? parts.pop() ?? null : null
  return problemAt(file.trim(), at, column, severityOf(severity), parts.join(' '), { code })
}

const heading = /^(error|warning|note|help|info)(?:\[([\w-]+)\])?: (.*)$/
const ruled = /^([A-Z]+\d+|[a-z-]+)(?: \[\*\])?:? (.*)$/

/** rustc, Deno, Ruff: the message, and the place below it as ` --> src/main.rs:2:5` */
const arrow: Matcher = (line, place) => {
  const match = /^\s*-->\s+(\S.*?):(\d+):(\d+)\s*$/.exec(line)
  if (match === null) return null
  const [, file = '', at, column] = match
  const said = above(place, 6, (before) => before.trim() === '' ? null : before.trim())
  if (said === null) return null
  const [, severity, code, text] = heading.exec(said) ?? []
  if (text !== undefined) return severity === 'note' || severity === 'help' ? null : problemAt(file, at, column, severityOf(severity), text, { code: code ?? null })
  const [, rule, message] = ruled.exec(said) ?? []
  return message === undefined ? problemAt(file, at, column, 'error', said) : problemAt(file, at, column, 'error', message, { code: rule ?? null })
}

/** oxlint, and others that draw like it: the place as `,-[src/a.ts:1:7]` below a marked message. */
const drawn: Matcher = (line, place) => {
  const match = /^\s*[,╭][-─]+\[\s*(\S.*?):(\d+):(\d+)\s*\]\s*$/.exec(line)
  if (match === null) return null
  const [, file = '', at, column] = match
  const said = above(place, 12, (before) => /^\s*([x×!⚠✖ℹi]) (.*)$/.exec(before))
  if (said === null) return null
  const [, mark = '', text = ''] = said
  const [, code, message] = /^([\w@/-]+\([\w/@-]+\)): (.*)$/.exec(text) ?? []
  return problemAt(file, at, column, mark === '!' || mark === '⚠' ? 'warning' : severityOf(mark), message ?? text, { code: code ?? null })
}

/** Biome: `src/a.ts:1:7 lint/style/useConst ━━━━`, and the message below it. */
const ruledOff: Matcher = (line, { lines, at }) => {
  const match = /^(\S+?):(\d+):(\d+) ([\w/-]+)(?: +\S+)? +━+$/.exec(line)
  if (match === null) return null
  const [, file = '', row, column, code = ''] = match
  const said = lines.slice(at + 1, at + 8).map((below) => /^\s*([×✖!⚠ℹ]) (.*)$/.exec(below)).find((below) => below !== null)
  return problemAt(file, row, column, severityOf(said?.[1] === '!' ? 'warning' : said?.[1]), said?.[2] ?? code, { code })
}

/** The form that most programs print: `file:line:column: error: message`, or a part of that. */
const usual: Matcher = (line) => {
  const match = /^\s*(?:(?:vet|ERROR|error|fatal error|stderr): )?((?:[A-Za-z]:\\)?[^\s:()[\]{}"'`=,|*]+):(\d+)(?::(\d+))?(?:-\d+)?:\s(.*)$/.exec(line)
  if (match === null) return null
  const [, file = '', at, column, rest = ''] = match
  if (!isPath(file) || rest.trim() === '' || /^[A-Z]\w*(?:Error|Exception)?$/.test(rest.trim())) return null
  const [, word, code, text] = /^\s*(?:fatal )?(error|warning|note|info|style|hint|[CRWEFI])(?:\[([\w-]+)\])?: (.*)$/.exec(rest) ?? []
  const isSure = word !== undefined
  const [said, rule] = ruleIn(text ?? rest.trim())
  return problemAt(file, at, column, isSure ? severityOf(word) : /\[Warning\//.test(rest) ? 'warning' : 'error', said, {
    code: code ?? rule, ...isSure ? {} : { isVague: true }
  })
}

/** Splits a message into its text and the rule that it names, at its beginning or end. */
function ruleIn (text: string): [text: string, rule: string | null] {
  const [, first, after] = /^([A-Z]{1,5}\d{2,5}|[A-Z]\w+\/\w+):? (?:\[\*\] )?(.*)$/.exec(text) ?? []
  if (first !== undefined && after !== undefined) return [after, first]
  const start = Math.max(text.lastIndexOf(' ['), text.lastIndexOf(' ('))
  const end = start === -1 ? null : /^ [[(](?:Error\/|Warning\/)?([\w@/:.=+-]{2,60})[\])]$/.exec(text.slice(start))
  return end === null ? [text, null] : [text.slice(0, start).trimEnd(), end[1] ?? null]
}

export const lineMatchers: readonly Matcher[] = [parenthesised, dashed, workflow, row, arrow, drawn, ruledOff, usual]
