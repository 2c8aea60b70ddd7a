import { RequestError } from '@agentclientprotocol/sdk'
import { type RunIO } from '../engines/engine.js'
import { fillForm } from '../mcp/elicitation.js'
import { NotShown } from '../mcp/form-schema.js'
import { text } from './wire.js'

/** How many questions may be open at once, and how many a turn may ask. Each is a card. */
const mostQuestionsOpen = 8
const mostQuestions = 200

export interface FormsOptions {
  /** What the agent is called. */
  agent: string
  ask: (question: Parameters<RunIO['askQuestion']>[0], signal: AbortSignal) => ReturnType<RunIO['askQuestion']>
  warn: (message: string) => void
}

/** Forms that an agent asks its user to fill in during a turn. */
export class Forms {
  #count = 0
  #open = 0

  constructor (readonly options: FormsOptions) {}

  /** Answers `elicitation/create`. Throws RequestError for anything but a form that can be shown, and for too many forms. */
  async fill (params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    if (params['mode'] !== undefined && params['mode'] !== 'form') {
      throw RequestError.invalidParams(undefined, 'This client opens no addresses for an agent: it fills in forms only.')
    }
    if (this.#open >= mostQuestionsOpen || this.#count >= mostQuestions) {
      throw RequestError.invalidRequest(undefined, this.#open >= mostQuestionsOpen
        ? `${mostQuestionsOpen} questions wait for an answer already`
        : 'That is enough of questions for one turn')
    }
    this.#count++
    this.#open++
    const { agent, ask, warn } = this.options
    try {
      return await fillForm(agent, text(params['message']) ?? '', params['requestedSchema'], async (question) => await ask(question, signal))
    } catch (error) {
      if (!(error instanceof NotShown)) throw error
      warn(error.message)
      throw RequestError.invalidParams(undefined, error.message)
    } finally {
      this.#open--
    }
  }
}
