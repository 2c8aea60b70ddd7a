import { type LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { type ClientTool, type ClientWishes } from '../protocol.js'
import { type OfferedTool } from './model-step.js'
import { type ModelCall } from './tool-calls.js'
import { oneLine } from '../tools/wording.js'

/** The longest tool name that providers accept. */
const mostNameChars = 64
const oneByOne = 'Only one call of this kind is passed on at once, so this one was not made. Call again once the other has its result.'

/** A call that is passed on to the program; `client`: the program's own name for the tool. */
export interface ClientCall extends ModelCall { client: string }

/** The tools of the program that sent the message, as the model is shown them. None of them runs here. */
export class ClientTools {
  readonly #shown = new Map<string, ClientTool>()

  /** @param isTaken whether the agent has a tool of this name; the program's tool is then renamed */
  constructor (private readonly wishes: ClientWishes, isTaken: (name: string) => boolean) {
    for (const tool of wishes.tools ?? []) this.#shown.set(this.#freeName(tool.name, isTaken), tool)
  }

  /** Returns the agent's tools together with these. An agent's tool of the same name that was found later is left out. */
  beside (own: readonly OfferedTool[]): OfferedTool[] {
    if (this.#shown.size === 0) return [...own]
    const offered = [...this.#shown].map(([name, { description = '', parameters, strict }]): OfferedTool => ({
      name, description: `${description}\n[The program that has sent the message runs this, where it is.]`.trim(), parameters, strict
    }))
    return [...own.filter(({ name }) => !this.#shown.has(name)), ...offered]
  }

  get choice (): LanguageModelV4CallOptions['toolChoice'] {
    const { choice } = this.wishes
    if (choice === undefined || this.#shown.size === 0) return undefined
    if (choice === 'required') return { type: 'required' }
    const [name] = [...this.#shown].find(([, { name }]) => name === choice.tool) ?? []
    return name === undefined ? undefined : { type: 'tool', toolName: name }
  }

  /** Splits the calls of a step into those answered here and those passed on. A call whose arguments are no JSON is answered here. */
  sorted (calls: readonly ModelCall[]): { here: ModelCall[], out: ClientCall[] } {
    const here: ModelCall[] = []
    const out: ClientCall[] = []
    for (const call of calls) {
      const tool = this.#shown.get(call.name)
      if (tool === undefined || call.invalid !== undefined) here.push(call)
      else if (this.wishes.isOneByOne === true && out.length > 0) here.push({ ...call, invalid: oneByOne })
      else out.push({ ...call, client: tool.name })
    }
    return { here, out }
  }

  #freeName (name: string, isTaken: (name: string) => boolean): string {
    let free = name
    for (let more = 0; isTaken(free) || this.#shown.has(free); more++) {
      const end = more === 0 ? '' : `_${more}`
      free = `client_${name}`.slice(0, mostNameChars - end.length) + end
    }
    return free
  }
}

/** Returns one line for the card of a call that is passed on. */
export const previewOf = (args: Record<string, unknown>): string => {
  const text = JSON.stringify(args)
  return text === '{}' ? '' : oneLine(text.slice(0, 400))
}
