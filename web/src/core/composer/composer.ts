import { effect } from '@preact/signals-core'
import { type Attachments } from './attachments.js'
import { parseCommand, type TypedCommand } from './commands.js'
import { type Conversation } from '../conversation/conversation.js'
import { type ConversationEvent, type ModelPick } from '../conversation/conversation-state.js'
import { type Draft } from './drafts.js'
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

/** What happened to the content of the box. `files-failed`: an upload failed, and everything is still there. `done`: it was a command. */
export type Submitted = 'nothing' | 'busy' | 'sent' | 'steered' | 'queued' | 'refused' | 'files-failed' | 'done'

/** Connects a session with its message box: sent text leaves the box once it is stored, and comes back if it is refused. */
export class Composer {
  readonly #options: ComposerOptions
  readonly #undo: Array<() => void> = []
  #isSubmitting = false

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
   * Sends the content of the box. While a turn runs, either the text is added to the turn (`steer`) and files wait for the next message, or
   * both join the chat's queue (`queue`).
   */
  async submit ({ whileRunning = 'steer', pick, run }: SubmitOptions = {}): Promise<Submitted> {
    const { conversation, draft, attachments } = this.#options
    const text = draft.text.peek().trim()
    const mode = conversation.mode.peek()
    const command = parseCommand(text)
    if (run !== undefined && command !== null) return await this.#command(text, () => run(command), pick)
    if (this.#isSubmitting || mode === 'sending' || mode === 'stopping') return 'busy'
    const isNote = mode === 'running' && whileRunning === 'steer'
    if (text === '' && (isNote || attachments.list.peek().length === 0)) return 'nothing'
    this.#isSubmitting = true
    try {
      return isNote ? await this.#steer(text) : await this.#send(text, pick)
    } finally {
      this.#isSubmitting = false
    }
  }

  /** Runs a command in any mode. A command for the agent is sent after the turn, because a running agent would read it as plain text. */
  async #command (text: string, run: () => Promise<CommandOutcome>, pick?: ModelPick): Promise<Submitted> {
    const { conversation, draft } = this.#options
    const settle = draft.take(text, [])
    let isTaken = false
    try {
      const outcome = await run()
      if (outcome.kind === 'refused' && outcome.why !== null) conversation.tell({ code: 'failed', message: outcome.why })
      const submitted = outcome.kind === 'message' ? await this.#message(outcome.text ?? text, pick) : outcome.kind
      // A refused message is back in the box already.
      isTaken = submitted !== 'busy' && submitted !== 'files-failed' && outcome.kind !== 'refused'
      return submitted
    } finally {
      settle(isTaken)
    }
  }

  async #message (text: string, pick?: ModelPick): Promise<Submitted> {
    const mode = this.#options.conversation.mode.peek()
    if (this.#isSubmitting || mode === 'sending' || mode === 'stopping') return 'busy'
    this.#isSubmitting = true
    try {
      return await this.#send(text, pick)
    } finally {
      this.#isSubmitting = false
    }
  }

  async #steer (text: string): Promise<Submitted> {
    const settle = this.#options.draft.take(text, [])
    const isTaken = await this.#options.conversation.steer(text)
    settle(isTaken)
    return isTaken ? 'steered' : 'refused'
  }

  /** Sends a message; while a turn runs, it goes into the queue. */
  async #send (typed: string, pick?: ModelPick): Promise<Submitted> {
    const { conversation, draft, attachments, textForFiles } = this.#options
    const isQueued = conversation.mode.peek() === 'running'
    const files = await attachments.take()
    if (files === null) return 'files-failed'
    const settle = draft.take(typed, files)
    const text = typed === '' ? textForFiles(files.length) : typed
    const message = { text, attachments: files, ...(pick === undefined ? {} : { pick }) }
    const isTaken = isQueued ? await conversation.queue(message) : await conversation.send(message)
    settle(isTaken)
    if (!isTaken) attachments.restore(files)
    return !isTaken ? 'refused' : isQueued ? 'queued' : 'sent'
  }

  #hear (event: ConversationEvent): void {
    const { draft } = this.#options
    if (event.type === 'leftover') draft.giveBack(event.text)
    else if (event.type === 'created') void draft.settle(event.sessionId)
  }
}
