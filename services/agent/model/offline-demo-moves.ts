import { type JSONObject, type LanguageModelV4Prompt, type LanguageModelV4ToolResultPart } from '@ai-sdk/provider'

/** What one step does: speak, then call a tool. `slow` words take ten times as long. */
export interface DemoMove { text?: string, call?: { toolName: string, input: JSONObject }, slow?: boolean }

export function textOf (message: LanguageModelV4Prompt[number]): string {
  if (message.role !== 'user') return ''
  return message.content.flatMap((part) => part.type === 'text' ? [part.text] : []).join('\n').trim()
}

/** Returns the text of a tool's result. */
export function resultText ({ output }: LanguageModelV4ToolResultPart): string {
  switch (output.type) {
    case 'execution-denied': return output.reason ?? ''
    case 'text':
    case 'error-text': return output.value
    case 'json':
    case 'error-json': return JSON.stringify(output.value, null, 2)
    case 'content': return output.value.map((part) => part.type === 'text' ? part.text : `(${part.type})`).join('\n')
  }
}

export const isDenied = ({ output }: LanguageModelV4ToolResultPart): boolean => output.type === 'execution-denied' ||
  (output.type === 'error-text' && /denied|not approved|rejected/i.test(output.value))

export const isFailed = ({ output }: LanguageModelV4ToolResultPart): boolean => output.type.startsWith('error')

/** Reports the outcome of a call, with its unchanged result. */
export function reportOf (result: LanguageModelV4ToolResultPart): string {
  const { toolName, output } = result
  if (output.type === 'execution-denied') {
    return `The call of ${toolName} was denied${output.reason === undefined ? '.' : `: ${output.reason}`}`
  }
  const became = isDenied(result) ? `The call of ${toolName} was denied` : `${toolName} ${isFailed(result) ? 'failed' : 'returned'}`
  return `${became}:\n\n${quote(resultText(result))}`
}

/** Returns a code block whose fence is longer than any in the text, so that the text stays unchanged. */
export function quote (text: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return `${fence}\n${text}\n${fence}`
}
