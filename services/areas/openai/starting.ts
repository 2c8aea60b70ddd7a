import { type Attachment } from '../../agent/protocol.js'
import { type Chat, type StartedTurn } from '../chat/index.js'
import { withInstructions, type AnswerRequest } from './conversation-input.js'
import { type Place } from './conversations.js'
import { RequestRefused } from './failures.js'
import { type Images } from './images.js'
import { type createWaitingCalls } from './waiting-calls.js'

export interface StartingOptions {
  chat: Pick<Chat, 'send'>
  images: Images
  /** Whether the model that answers there can see images, itself or through another model that describes them. */
  sees: (session: Place['session'], model: string | null) => Promise<boolean>
  /** Whether the machine that has a workspace runs the service's own version; also true for this machine. */
  isCurrent: (workspace: string) => boolean
}

/** Stands in for the text of a message that has only images. */
const wordless = '(see the image)'

/** Begins the turns of clients. */
export function createStarting (
  { chat, images, sees, isCurrent, calls }: StartingOptions & { calls: Pick<ReturnType<typeof createWaitingCalls>, 'assertWaiting'> }
) {
  /**
   * Stores the images as attachments, and begins the turn. `opened` runs inside the transaction that stores it. Throws RequestRefused for
   * images or options that cannot be taken there, and what the chat throws.
   */
  return async function start (
    { input, model, effort, wishes, attended, signal, response }: AnswerRequest, { session, results, images: shown, goesOn }: Place,
    opened: (streamId: string, startedAtS: number) => void
  ) {
    const begin = async (attachments: Attachment[]) => {
      const isSaid = input.message !== '' || attachments.length > 0
      const message = input.message === '' && isSaid ? wordless : input.message
      const expanded = withInstructions({ ...input, message })
      const accepted = ({ streamId, startedAtS }: StartedTurn): void => opened(streamId, startedAtS)
      return await chat.send({
        sessionId: session.id, message, expanded, attachments, effort, ...(model === null ? {} : { model }), explicitModelPick: false,
        accepted
      }, {
        isProgram: true,
        plan: {
          ...(isSaid ? {} : { input: null }), attended, endsAtLimit: true,
          ...(response?.isBackground === true ? {} : { isAwaited: true as const }),
          ...(wishes === undefined ? {} : { client: wishes })
        },
        results, alongside: () => calls.assertWaiting(session.id, results), ...(goesOn ? { goesOn } : {})
      })
    }
    const { maxOutputTokens, sampling } = wishes ?? {}
    const wish = maxOutputTokens !== undefined ? 'a limit of tokens' : sampling !== undefined ? 'sampling' : null
    if (wish !== null && !isCurrent(session.workspace)) {
      throw new RequestRefused(`The machine of this conversation runs another version, which may not know ${wish}`, 'model', 'unsupported_parameter')
    }
    const [first] = shown
    if (first === undefined) return await begin([])
    if (!await sees(session, model)) {
      throw new RequestRefused('The model of this request cannot see images, and no other model is set up to describe them to it', first.path, 'unsupported_parameter')
    }
    const arrivals = await images.receive(shown, signal)
    try {
      return await begin(await images.attach(session.id, arrivals))
    } finally {
      await images.discard(arrivals)
    }
  }
}
