import { computed } from '@preact/signals'
import { api } from '../app.js'
import { type Command, type TypedCommand, withOwn } from '../core/composer/commands.js'
import { Completion } from '../core/composer/completion.js'
import { MentionedFolders } from '../core/composer/mentions.js'
import { createResource, type Resource } from '../core/service/resource.js'
import { runCommand, type CommandContext, type CommandOutcome, type CommandPlace } from '../core/composer/run-command.js'
import { type Attachment } from '../core/turn/turn.js'
import { backgroundTasks, sideQuestions } from '../conversation/side-work.js'
import { giveBack, nextSession, yolo, type OpenChat } from '../conversation/open-chat.js'
import { places } from '../shell/places.js'
import { sayDescription } from '../skills/say-description.js'
import { toast } from '../ui/toasts.js'
import { screenWords } from '../words/index.js'
import { textNamed } from '../words/text-named.js'
import { boxDialog } from './dialogs.js'

/** Completes commands and mentions of one box. Loaded with the first slash or @. */
export interface Assist {
  readonly completion: Completion
  readonly commands: Resource<readonly Command[]>
  run: (typed: TypedCommand, go: (path: string) => void) => Promise<CommandOutcome>
  /** Returns a mentioned picture as an attachment, so that the model sees it; null for any other file. */
  pictureOf: (path: string, name: string, sizeBytes: number | null) => Attachment | null
}

const assists = new WeakMap<OpenChat, Assist>()
/** Longer output of a command gets a dialog of its own. */
const longestToast = 160

/** Describes a command in the language of the app, if the service knows it. */
export const aboutCommand = ({ name, description }: Pick<Command, 'name' | 'description'>): string =>
  textNamed(screenWords.value.commands.about, name, sayDescription(description))

export function assistOf (opened: OpenChat): Assist {
  const known = assists.get(opened)
  if (known !== undefined) return known
  const { conversation } = opened
  const commands = createResource<readonly Command[]>(async () => {
    const id = conversation.sessionId.peek()
    return withOwn((await api.get('/api/commands', id === null ? {} : { session_id: id })).commands)
  })
  const folders = new MentionedFolders({ api, sessionId: () => conversation.ensure() })
  const completion = new Completion({ commands: computed(() => commands.value.value ?? []), about: aboutCommand, folders })
  const assist: Assist = {
    completion,
    commands,
    run: async (typed, go) => {
      if (commands.value.peek() === undefined) await commands.refresh()
      const [known, error] = [commands.value.peek(), commands.error.peek()]
      if (known === undefined) return { kind: 'refused', why: error?.message ?? null }
      return await runCommand(contextOf(opened, typed, go), known, typed)
    },
    pictureOf: (path, name, sizeBytes) => {
      const type = /\.(png|jpe?g|gif|webp)$/i.exec(name)?.[1]?.toLowerCase()
      const absolute = folders.absolute(path)
      return type === undefined || absolute === null
        ? null
        : { name, path: absolute, mime: `image/${type === 'jpg' ? 'jpeg' : type}`, sizeBytes, isImage: true }
    }
  }
  assists.set(opened, assist)
  return assist
}

function contextOf ({ conversation }: OpenChat, { name }: TypedCommand, go: (path: string) => void): CommandContext {
  const w = screenWords.value.commands
  const open = (id: string): void => go(places.session(id))
  return {
    api,
    conversation,
    sideQuestions,
    backgroundTasks,
    yolo,
    words: w,
    open,
    giveBack,
    say: (text, kept) => {
      if (text.length > longestToast || text.trim().includes('\n')) boxDialog.value = { kind: 'output', command: name, text }
      else toast(text, { about: 'command', ...(kept === undefined ? {} : { action: { text: w.showChat, onPick: () => open(kept) } }) })
    },
    show: (place) => showPlace(place, go),
    download: (format) => { location.assign(api.url('/api/session/export', { session_id: conversation.sessionId.peek(), format })) },
    next: (change) => { nextSession.value = { ...nextSession.peek(), ...change } },
    reload: () => { location.assign(places.start) }
  }
}

function showPlace (place: CommandPlace, go: (path: string) => void): void {
  switch (place) {
    case 'new': return go(places.newChat)
    case 'skills': return go(places.skills)
    case 'profiles': return go(places.profiles)
    default: boxDialog.value = { kind: place }
  }
}
