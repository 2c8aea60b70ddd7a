import { effect } from '@preact/signals-core'
import { type Attachments } from './attachments.js'
import { parseCommand, type TypedCommand } from './commands.js'
import { type Conversation } from '../conversation/conversation.js'
import { type ConversationEvent, type ModelPick } from '../conversation/conversation-state.js'
import { type Draft, type Said } from './drafts.js'
import { type CommandOutcome } from './run-command.js'

export interface ComposerOptions {
  conversation: Conversation
  draft: Draft
  attachments: Attachments
  /** What stands for the text of a message that is files alone. */
  textForFiles: (count: number) => string
}

export interface SubmitOptions {
  /** While a turn runs: added to it, or sent after it. */
  whileRunning?: 'steer' | 'queue'
  pick?: ModelPick | undefined
  /** Does what a command says. Without it, commands are messages like all others. */
  run?: (command: TypedCommand) => Promise<CommandOutcome>
}

/**
 * What became of what was in the box. `files-failed`: a file could not be uploaded, and everything
 * is still there. `done`: it was a command.
 */
export type Submitted = 'nothing' | 'busy' | 'sent' | 'steered' | 'queued' | 'refused' | 'files-failed' | 'done'

/** Ties the box of a session to it: what is sent leaves the box when it is stored, and what was not taken is in it again. */
export class Composer {
  readonly #options: ComposerOptions
  readonly #undo: Array<() => void> = []
  #isSubmitting = false
  /** What was said into the turn that runs, in its order, behind what has waited since before. */
  #said: Said[] = []
  /** What came back of it unread. */
  #returned = ''

  constructor (options: ComposerOptions) {
    const { conversation, draft, attachments } = this.#options = options
    this.#undo.push(
      conversation.listen((event) => this.#hear(event)),
      effect(() => {
        const facts = conversation.session.value
        if (facts !== null) attachments.restore(draft.offer(facts.composer_draft))
      }),
      effect(() => draft.attach(attachments.ready.value))
    )
  }

  /** The box is left; its draft is stored. */
  async close (): Promise<void> {
    for (const undo of this.#undo) undo()
    await this.#options.draft.close()
  }

  /**
   * Sends what is in the box. While a turn runs, it is added to that (`steer`), or waits for its end (`queue`); files stay for
   * the next message of its own.
   */
  async submit ({ whileRunning = 'steer', pick, run }: SubmitOptions = {}): Promise<Submitted> {
    const { conversation, draft, attachments } = this.#options
    const text = draft.text.peek().trim()
    const mode = conversation.mode.peek()
    const command = parseCommand(text)
    if (run !== undefined && command !== null) return await this.#command(text, () => run(command), pick)
    if (this.#isSubmitting || mode === 'sending' || mode === 'stopping') return 'busy'
    if (text === '' && (mode === 'running' || attachments.list.peek().length === 0)) return 'nothing'
    this.#isSubmitting = true
    try {
      if (mode === 'running') return whileRunning === 'queue' ? this.#queue(text) : await this.#steer(text)
      return await this.#send(text, pick)
    } finally {
      this.#isSubmitting = false
    }
  }

  /** A command works in every mode. One for the agent waits for the end of a turn: the agent that works would read it as it was typed. */
  async #command (text: string, run: () => Promise<CommandOutcome>, pick?: ModelPick): Promise<Submitted> {
    const { conversation, draft } = this.#options
    const settle = draft.take(text, [])
    let isTaken = false
    try {
      const outcome = await run()
      if (outcome.kind === 'refused' && outcome.why !== null) conversation.tell({ code: 'failed', message: outcome.why })
      const submitted = outcome.kind === 'message' ? await this.#message(text, pick) : outcome.kind
      // What was refused when it was sent is in the box again already.
      isTaken = submitted !== 'busy' && submitted !== 'files-failed' && outcome.kind !== 'refused'
      return submitted
    } finally {
      settle(isTaken)
    }
  }

  async #message (text: string, pick?: ModelPick): Promise<Submitted> {
    const { conversation } = this.#options
    const mode = conversation.mode.peek()
    if (this.#isSubmitting || mode === 'sending' || mode === 'stopping') return 'busy'
    if (mode === 'running') {
      this.#wait(text)
      return 'queued'
    }
    this.#isSubmitting = true
    try {
      return await this.#send(text, pick)
    } finally {
      this.#isSubmitting = false
    }
  }

  #queue (text: string): Submitted {
    this.#wait(text)
    this.#options.draft.write('')
    return 'queued'
  }

  #wait (text: string): void {
    this.#options.draft.queue(text)
    this.#said.push({ kind: 'queue', text })
  }

  async #steer (text: string): Promise<Submitted> {
    const settle = this.#options.draft.take(text, [])
    const said: Said = { kind: 'steer', text }
    this.#said.push(said)
    const isTaken = await this.#options.conversation.steer(text)
    settle(isTaken)
    if (!isTaken) this.#said = this.#said.filter((one) => one !== said)
    return isTaken ? 'steered' : 'refused'
  }

  async #send (typed: string, pick?: ModelPick): Promise<Submitted> {
    const { conversation, draft, attachments, textForFiles } = this.#options
    const files = await attachments.take()
    if (files === null) return 'files-failed'
    const settle = draft.take(typed, files)
    const text = typed === '' ? textForFiles(files.length) : typed
    const isTaken = await conversation.send({ text, attachments: files, ...(pick === undefined ? {} : { pick }) })
    settle(isTaken)
    if (!isTaken) attachments.restore(files)
    return isTaken ? 'sent' : 'refused'
  }

  #hear (event: ConversationEvent): void {
    const { draft } = this.#options
    if (event.type === 'leftover') {
      draft.giveBack(event.text)
      this.#returned = event.text
    } else if (event.type === 'created') void draft.settle(event.sessionId)
    else if (event.type === 'ended') {
      // After a stop or a failure nothing goes out by itself.
      if (event.state === 'completed') void this.#sendQueued()
      else draft.unqueue(this.#returned, this.#said)
      this.#said = draft.queued.peek().map((text) => ({ kind: 'queue', text }))
      this.#returned = ''
    }
  }

  async #sendQueued (): Promise<void> {
    const { conversation, draft } = this.#options
    const text = draft.takeQueued()
    if (text === null) return
    const settle = draft.take(text, [])
    settle(await conversation.send({ text }))
  }
}
