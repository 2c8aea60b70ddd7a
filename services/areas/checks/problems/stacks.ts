import { tried } from '../../../ground/tried.js'
import { above, numberOf, problemAt, type MatchedProblem, type Matcher } from './problem.js'

type Frame = MatchedProblem['places'][number]

const mostFrames = 50
/** How many lines above its stack a failure's message may be. */
const messageWithin = 60

/** `at name (file:///w/a.js:5:10)`, `at /w/a.js:5:10`, `❯ src/a.test.ts:5:15`, `❯ name src/a.ts:5:15` */
function frameOf (line: string): Frame | null {
  const match = /^\s*(?:at|❯|›)\s(?:.*[(\s])?((?:file:\/\/)?[^\s():]+):(\d+):(\d+)\)?\s*$/.exec(line)
  if (match === null) return null
  const [, file = '', row, column] = match
  return { file: pathOf(file), line: numberOf(row), column: numberOf(column) }
}

function pathOf (file: string): string {
  if (!file.startsWith('file://')) return file
  return tried(() => decodeURIComponent(new URL(file).pathname), file)
}

const named = /^\s*(?:\[?error\]?:? )?((?:[A-Z]\w*)?(?:Error|Exception)\b(?: \[\w+\])?(?::.*)?)$/
const titled = /^\s*(?:●|✖|✗|not ok \d+ -|FAIL)\s+(?!\s)(.*)$/

/** Jest, Vitest, node:test, Node itself: the first frame of a stack, with the message above it. */
const javascript: Matcher = (line, place) => {
  const first = frameOf(line)
  if (first === null || frameOf(place.lines[place.at - 1] ?? '') !== null) return null
  const places = [first]
  for (let at = place.at + 1; at < Math.min(place.lines.length, place.at + mostFrames); at++) {
    const next = frameOf(place.lines[at] ?? '')
    if (next === null) break
    places.push(next)
  }
  const wanted = (pattern: RegExp) => (before: string): string | null => pattern.exec(before)?.[1] ?? null
  const end = above(place, messageWithin, (before) => frameOf(before) === null ? null : before) // of the failure before this one
  const reach = end === null ? messageWithin : place.at - place.lines.lastIndexOf(end, place.at - 1)
  const error = above(place, reach, wanted(named)) ?? above(place, reach, wanted(/^\s*error(?:\[[\w-]+\])?: (.*)$/))
  const message = error === null || /^\w+$/.test(error) ? null : error
  const title = above(place, reach, wanted(titled))?.replace(/ \([\d.]+ ?m?s\)$/, '')
  const expected = above(place, reach, wanted(/^\s*(expect\(.*)$/))
  const text = [title, message ?? expected ?? error].filter((part) => part != null).join(': ')
  return text === '' ? null : { places: ownOf(places), severity: 'error', text }
}

/** Removes frames of libraries. */
const ownOf = (places: readonly Frame[]): Frame[] => {
  const isOwn = ({ file }: Frame): boolean => !/(?:^node:|node_modules|^internal\/)/.test(file)
  return places.filter(isOwn)
}

/** TAP as node:test prints it: `location: '/w/a.test.js:4:1'` below `not ok 1 - adds`. */
const tap: Matcher = (line, place) => {
  const match = /^\s+location: '(.+):(\d+):(\d+)'$/.exec(line)
  if (match === null) return null
  const title = above(place, 4, (before) => /^\s*not ok \d+ - (.*)$/.exec(before)?.[1] ?? null)
  if (title === null) return null
  const rest = place.lines.slice(place.at + 1, place.at + 12)
  const error = /^\s+error: (?:\|-|'(.*)'|(.*))$/.exec(rest.find((below) => /^\s+error: /.test(below)) ?? '')
  const text = error?.[1] ?? error?.[2] ?? rest[rest.findIndex((below) => /^\s+error: \|-$/.test(below)) + 1]?.trim()
  if (/^\d+ subtests? failed$/.test(text ?? '')) return null
  return problemAt(match[1] ?? '', match[2], match[3], 'error', text === undefined ? title : `${title}: ${text}`)
}

/** node:test: `test at test/a.test.js:4:1`, and below it the name and the error. */
const specTest: Matcher = (line, { lines, at }) => {
  const match = /^test at (.+):(\d+):(\d+)$/.exec(line)
  if (match === null) return null
  const title = /^\s*✖ (.*?)(?: \([\d.]+ms\))?$/.exec(lines[at + 1] ?? '')?.[1]
  const error = named.exec(lines[at + 2] ?? '')?.[1] ?? (lines[at + 2] ?? '').replace(/^\s*'?|'?$/g, '')
  return title === undefined ? null : problemAt(match[1] ?? '', match[2], match[3], 'error', `${title}: ${error.trim()}`)
}

const pythonFrame = /^\s*File "(.+?)", line (\d+)(?:, in .*)?$/

/** A traceback of Python, unittest's too, and an error of syntax. */
const python: Matcher = (line, place) => {
  const begins = /^(?:Traceback \(most recent call last\):|\s*File "(.+?)", line (\d+)$)/.exec(line)
  // Consecutive frames belong to one stack.
  if (begins === null || (begins[1] !== undefined && pythonFrame.test(place.lines[place.at - 1] ?? ''))) return null
  const places: Frame[] = []
  for (let at = place.at; at < Math.min(place.lines.length, place.at + 400); at++) {
    const text = place.lines[at] ?? ''
    const [, file, row] = pythonFrame.exec(text) ?? []
    if (file !== undefined) places.push({ file, line: numberOf(row), column: null })
    else if (at > place.at && /^\S/.test(text)) {
      if (!/^[\w.]+(?:: .*)?$/.test(text) || places.length === 0) return null
      // The innermost frame in the project's own code comes last.
      const own = places.filter(({ file: name }) => !/(?:site-packages|\/lib\/python|^<)/.test(name)).reverse()
      return { places: own.slice(0, mostFrames), severity: 'error', text }
    }
  }
  return null
}

/** pytest: `tests/test_a.py:5: AssertionError` below the lines that begin with E. */
const pytest: Matcher = (line, place) => {
  const match = /^(\S+\.py):(\d+): ?([A-Z]\w*(?:\.\w+)*)?$/.exec(line)
  if (match === null) return null
  const [, file = '', row, name] = match
  let text: string | null = null
  for (let at = place.at - 1; at >= Math.max(0, place.at - messageWithin); at--) {
    const before = place.lines[at] ?? ''
    if (/^E {3}/.test(before)) text = before.slice(1).trim()
    else if (text !== null || /^_+ /.test(before)) break
  }
  return name === undefined && text === null ? null : problemAt(file, row, undefined, 'error', text ?? name ?? '', { code: name ?? null })
}

/** pytest's summary, which names no line. */
const pytestSummary: Matcher = (line) => {
  const match = /^(?:FAILED|ERROR) ([^\s:]+\.py)(::\S+)?(?: - (.*))?$/.exec(line)
  if (match === null) return null
  return problemAt(match[1] ?? '', undefined, undefined, 'error', [match[2]?.slice(2), match[3]].filter((part) => part !== undefined).join(': ') || 'failed')
}

/** A test of Rust that has panicked. */
const panic: Matcher = (line, { lines, at }) => {
  const match = /^thread '(.+?)'(?: \(\d+\))? panicked at (?:'(.*)', )?(\S+\.rs):(\d+):(\d+):?$/.exec(line)
  if (match === null) return null
  const [, test = '', message, file = '', row, column] = match
  return problemAt(file, row, column, 'error', `${test}: ${message ?? lines[at + 1] ?? ''}`)
}

export const stackMatchers: readonly Matcher[] = [specTest, tap, python, pytest, pytestSummary, panic, javascript]
