import { type LanguageModelV4Prompt } from '@ai-sdk/provider'
import {
  answerLabel, callLabel, compressionMark, earlierSummaryLabel, judgeMark, readQuoted, turnsLabel, userLabel
} from '../engines/quoted-conversation.js'
import { textOf } from './offline-demo-moves.js'

/** Answers a small task outside a turn; the instruction's first line says which task it is. */
export function answerSmallTask (prompt: LanguageModelV4Prompt): string {
  const instruction = prompt.flatMap((message) => message.role === 'system' ? [message.content] : []).join('\n')
  const last = prompt.findLast(({ role }) => role === 'user')
  const material = last === undefined ? '' : textOf(last)
  if (instruction.startsWith(compressionMark)) return summaryOf(material)
  if (instruction.startsWith(judgeMark)) return JSON.stringify(judgementOf(material))
  return titleOf(material)
}

/** Returns the first words of the conversation. */
function titleOf (material: string): string {
  const line = material.replace(/^(?:user|question)\s*:\s*/i, '').split('\n').find((candidate) => candidate.trim() !== '') ?? ''
  return line.trim().split(/\s+/).slice(0, 6).join(' ')
}

const summaryNotice = 'Fixed rules wrote this summary, not an AI model: the beginning of each message of the user, and the tools that were called.'
const summaryLines = 60

/** Returns an extract. Nothing is understood, so no part is left out as unimportant, only as old. */
function summaryOf (material: string): string {
  const lines = readQuoted(material).flatMap(({ label, text }) => {
    if (label === earlierSummaryLabel) return text.split('\n').filter((line) => /^- (?:User:|Tool called:) /.test(line))
    if (label === userLabel) return [`- User: ${firstWords(text, 12)}`]
    return label.startsWith(`${callLabel} `) ? [`- Tool called: ${label.slice(callLabel.length + 1)}`] : []
  })
  const oldest = lines.length > summaryLines ? ['(Older lines are left out.)'] : []
  return [summaryNotice, '', ...oldest, ...lines.slice(-summaryLines)].join('\n')
}

function firstWords (text: string, count: number): string {
  const words = text.trim().split(/\s+/)
  return words.slice(0, count).join(' ') + (words.length > count ? ' …' : '')
}

/** One turn is enough; a second one follows if the first ends with a question, or a call in it failed. */
function judgementOf (material: string): { verdict: 'done' | 'continue', reason: string } {
  const blocks = readQuoted(material)
  const blockOf = (name: string): string => blocks.find(({ label }) => label === name)?.text ?? ''
  const answer = blockOf(answerLabel).trim()
  const isOpen = answer.endsWith('?') || /^(?:The call of \S+ was denied|\S+ failed:)/m.test(answer)
  if (isOpen && Number(blockOf(turnsLabel)) < 2) {
    return {
      verdict: 'continue', reason: 'The demo gives a goal a second turn when the first one ends with a question, a failure or a denial.'
    }
  }
  return {
    verdict: 'done',
    reason: 'The demo counts a goal as reached after one turn, or two when the first one went wrong; it does not understand goals.'
  }
}
