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
  /** The text of a message that consists of files alone. */
  textForFiles: (count: number) => string
}

export interface SubmitOptions {
  /** `steer` adds to the running turn, `queue` sends after it. */
  whileRunning?: 'steer' | 'queue'
  pick?: ModelPick | undefined
  /** Runs a command. Without it, commands are sent as messages. */
  run?: (command: TypedCommand) => Promise<CommandOutcome>
}

/** What became of the content of the box. `files-failed`: an upload failed, and everything is still there. `done`: it was a command. */
export type Submitted = 'nothing' | 'busy' | 'sent' | 'steered' | 'queued' | 'refused' | 'files-failed' | 'done'

/** Connects the box of a session with it: sent text leaves the box when it is stored, and comes back if it is refused. */
export class Composer {
  readonly #options: ComposerOptions
  readonly #undo: Array<() => void> = []
  #isSubmitting = false
  /** What was typed during the running turn, in order, after what was queued before. */
  #said: Said[] = []
  /** The notes that came back unread. */
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

  /** Stores the draft; called when the box is left. */
  async close (): Promise<void> {
    for (const undo of this.#undo) undo()
    await this.#options.draft.close()
  }

  /**
   * Sends the content of the box. While a turn runs, the text is added to it (`steer`) or queued (`queue`); files wait for the next
   * message.
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

  /** Runs a command in any mode. One for the agent is sent after the turn: a running agent would read it as plain text. */
  async #command (text: string, run: () => Promise<CommandOutcome>, pick?: ModelPick): Promise<Submitted> {
    const { conversation, draft } = this.#options
    const settle = draft.take(text, [])
    let isTaken = false
    try {
      const outcome = await run()
      if (outcome.kind === 'refused' && outcome.why !== null) conversation.tell({ code: 'failed', message: outcome.why })
      const submitted = outcome.kind === 'message' ? await this.#message(text, pick) : outcome.kind
      // A refused message is back in the box already.
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
      // After a stop or a failure, nothing queued is sent by itself.
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
