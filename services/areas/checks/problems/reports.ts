import { fieldsOf } from '../../../ground/fields.js'
import { problemAt, severityOf, type MatchedProblem } from './problem.js'

const listOf = (value: unknown): Array<Record<string, unknown>> => Array.isArray(value) ? value.map(fieldsOf) : []
const textOf = (value: unknown): string => typeof value === 'string' ? value : ''
const numberIn = (value: unknown): number | undefined => typeof value === 'number' ? value : undefined
const codeOf = (value: unknown): string | null => textOf(value) === '' ? null : textOf(value)

/** ESLint, and programs with the same format: a list of files with `messages`. */
const ofFiles = (report: unknown): MatchedProblem[] => listOf(report).flatMap(({ filePath, messages }) => listOf(messages).map((message) =>
  problemAt(
    textOf(filePath), numberIn(message['line']), numberIn(message['column']),
    message['severity'] === 1 ? 'warning' : severityOf(textOf(message['severity'])), textOf(message['message']), { code: codeOf(message['ruleId']) }
  )))

/** Ruff: a list of places with `filename` and `location`. */
const ofPlaces = (report: unknown): MatchedProblem[] => listOf(report)
  .filter(({ filename, location }) => filename !== undefined && location !== undefined)
  .map(({ filename, location, message, code }) =>
    problemAt(textOf(filename), numberIn(fieldsOf(location)['row']), numberIn(fieldsOf(location)['column']), 'error', textOf(message), {
      code: codeOf(code)
    }))

/** oxlint and Pyright: `diagnostics`, each with its own form of a place. */
const ofDiagnostics = (report: unknown): MatchedProblem[] => {
  const { diagnostics, generalDiagnostics } = fieldsOf(report)
  const marked = listOf(diagnostics).map(({ filename, labels, severity, message, code }) => {
    const span = fieldsOf(fieldsOf(listOf(labels)[0])['span'])
    return problemAt(textOf(filename), numberIn(span['line']), numberIn(span['column']), severityOf(textOf(severity)), textOf(message), {
      code: codeOf(code)
    })
  })
  const ranged = listOf(generalDiagnostics).map(({ file, range, severity, message, rule }) => {
    const { line, character } = fieldsOf(fieldsOf(range)['start'])
    const from1 = (value: unknown): number | undefined => typeof value === 'number' ? value + 1 : undefined
    return problemAt(textOf(file), from1(line), from1(character), severityOf(textOf(severity)), textOf(message), { code: codeOf(rule) })
  })
  return [...marked, ...ranged]
}

/** Returns the problems in a JSON report, which may follow lines of whatever started the program; null if there is no report. */
export function reportIn (output: string): MatchedProblem[] | null {
  const begins = /^[[{]/m.exec(output)
  if (begins === null) return null
  const text = output.slice(begins.index, Math.max(output.lastIndexOf(']'), output.lastIndexOf('}')) + 1)
  try {
    const report: unknown = JSON.parse(text)
    const all = [...ofFiles(report), ...ofPlaces(report), ...ofDiagnostics(report)].filter(({ places: [place], text: said }) =>
      place?.file !== '' && said !== '')
    return all.length === 0 ? null : all
  } catch {
    return null
  }
}
