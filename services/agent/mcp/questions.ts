import { fieldsOf } from '../../ground/fields.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { ToolError } from '../tools/containment.js'
import { fillForm, ownerOf, type FormEnd, type Use } from './elicitation.js'
import { NotShown } from './form-schema.js'
import { askToOpen, readLink } from './link.js'
import { type ServerLog } from './log.js'
import { type ServerRoots } from './roots.js'
import { Samples, SamplingRefused, type AskedSample } from './sampling.js'

/** What a server asks its user, with a form or with an address to open. */
export interface AskedUser { message: string, mode?: unknown, requestedSchema?: unknown, url?: unknown, elicitationId?: unknown }

/** One of the requests in a result. */
export interface InputRequest { method: string, params: unknown }

const nobody: FormEnd = {
  action: 'cancel', _meta: { reason: 'Nobody was asked: this belongs to no call of a person, or it is not plain to which.' }
}
const mostLinks = 20
const longestId = 256

/** What one server asks its users and the model, each time on behalf of the call to which the question belongs. */
export class ServerQuestions {
  readonly #samples: Samples
  /** Pages that a person is asked to open, by id: for which call, and of which host. */
  readonly #links = new Map<string, { use: Use, host: string }>()

  constructor (private readonly options: { server: string, sampling: boolean, roots: ServerRoots, log: ServerLog }) {
    this.#samples = new Samples(options.server)
  }

  /** Asks the user of the one call in `uses` to which the question belongs. Throws NotShown, which that user is warned of too. */
  async elicit (uses: Iterable<Use>, asked: AskedUser): Promise<FormEnd> {
    return await this.#elicitFor(await ownerOf(uses), asked)
  }

  /** Throws SamplingRefused. */
  async sample (uses: ReadonlySet<Use>, params: AskedSample, signal: AbortSignal): ReturnType<Samples['answer']> {
    return await this.#samples.answer(uses, params, signal)
  }

  /** Answers what a server wants to know before it continues a call. Throws ToolError for requests that are not supported. */
  async answer (use: Use, { method, params }: InputRequest, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { server, sampling, roots } = this.options
    if (method === 'roots/list' && roots.areTold) return { ...roots.answer(use) }
    const asked = fieldsOf(params)
    if (method === 'elicitation/create') {
      const { message, ...others } = asked
      return { ...await this.#elicitFor(use, { message: typeof message === 'string' ? message : '', ...others }).catch((error: unknown) => {
        if (error instanceof NotShown) return { action: 'cancel' as const, _meta: { reason: error.message } }
        throw error
      }) }
    }
    if (method === 'sampling/createMessage' && sampling) {
      try {
        const { text, model, isCut } = await this.#samples.answer(new Set([use]), asSample(asked), signal)
        return { role: 'assistant', content: { type: 'text', text }, model, stopReason: isCut ? 'maxTokens' : 'endTurn' }
      } catch (error) {
        throw error instanceof SamplingRefused ? new ToolError(`The MCP server "${server}" was not answered by the model: ${error.message}`) : error
      }
    }
    throw new ToolError(`The MCP server "${server}" asks for something that it is not answered here, and the call was given up.`)
  }

  /** Called when the server says that what had to be done at an address is done. */
  completed (id: unknown): void {
    const found = typeof id === 'string' ? this.#links.get(id) : undefined
    if (found === undefined) return
    this.#links.delete(String(id))
    found.use.tell(`What was to be done at ${found.host} is done, the server says.`)
  }

  async #elicitFor (use: Use | null, { mode, message, requestedSchema, url, elicitationId }: AskedUser): Promise<FormEnd> {
    const { server, log } = this.options
    const { clarify, limit, warn } = use ?? {}
    if (use === null || clarify == null || limit == null) return nobody
    const who = `The MCP server "${server}"`
    try {
      if (mode !== 'url') return await limit.during(async () => await fillForm(who, message, requestedSchema, clarify))
      this.#remember(use, elicitationId, readLink(url).host)
      const { action, ...end } = await limit.during(async () => await askToOpen(who, message, url, clarify))
      // Nothing was filled in here: the server learns on its own what is done on the page.
      return action === 'accept' ? { action } : { action, ...end } as FormEnd
    } catch (error) {
      if (error instanceof NotShown) {
        log.remark(error.message)
        warn?.('mcp_form', `${who} asked for something that cannot be shown here, and was told so. ${error.message}`)
      }
      throw error
    }
  }

  #remember (use: Use, id: unknown, host: string): void {
    if (typeof id !== 'string' || id === '' || id.length > longestId || this.#links.has(id)) return
    this.#links.set(id, { use, host })
    keepNewest(this.#links, mostLinks)
    void use.ended.then(() => { if (this.#links.get(id)?.use === use) this.#links.delete(id) })
  }
}

/** Returns a request for the model in the protocol's form. Values that do not fit are refused by `readSample`. */
function asSample ({ messages, systemPrompt, maxTokens, tools }: Readonly<Record<string, unknown>>): AskedSample {
  const read = (Array.isArray(messages) ? messages : []).map((message) => {
    const { role, content } = fieldsOf(message)
    const parts = [content].flat().map((part) => {
      const { type, text } = fieldsOf(part)
      return { type: String(type), text }
    })
    return { role: role === 'assistant' ? 'assistant' as const : 'user' as const, content: parts }
  })
  return {
    messages: read, maxTokens: typeof maxTokens === 'number' ? maxTokens : 0, tools: Array.isArray(tools) ? tools : [],
    ...(typeof systemPrompt === 'string' ? { systemPrompt } : {})
  }
}
