import { navigate } from 'wouter-preact/use-browser-location'
import { api, sessions } from '../app.js'
import { giveBack, nextSession, opened } from '../conversation/opened.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { type Searchable } from '../core/screen/palette-search.js'
import { retryLast } from '../core/conversation/resending.js'
import { archiveSession, branchSession, pinSession } from '../core/sessions/session-actions.js'
import { theme } from '../shell/appearance.js'
import { overlay } from '../shell/palette.js'
import { places } from '../shell/places.js'
import { projects } from '../shell/projects.js'
import { attempt } from '../ui/attempt.js'
import { chooseLanguage, languageCodes, languages, screenWords, words } from '../words/index.js'

export type EntryGroup = 'recent' | 'chats' | 'inChat' | 'screens' | 'app'

/** An entry of the palette. `onPick` runs after it has closed; `asks`: it asks for a title first. */
export interface Entry extends Searchable {
  readonly id: string
  readonly group: EntryGroup
  /** A line below its text, such as what was found in a chat. */
  readonly note?: string | undefined
  readonly asks?: 'title'
  readonly onPick: () => void
}

const goTo = (path: string) => (): void => navigate(path)
const tried = (act: () => Promise<unknown>) => (): void => { void attempt(async () => { await act() }) }

export function chatEntry (
  group: 'recent' | 'chats', { session_id: id, title }: { session_id: string, title: string }, note?: string
): Entry {
  return { id: `chat ${id}`, group, text: title === '' ? words.value.shell.untitled : title, note, onPick: goTo(places.session(id)) }
}

/** Returns the most recently active chats. */
export function recentChats (most: number): Entry[] {
  return sessions.rows.value.slice(0, most).map((row) => chatEntry('recent', row))
}

/** Returns actions and screens, and the actions of the open chat. */
export function commands (): Entry[] {
  const w = screenWords.value.palette
  const s = words.value.shell
  const conversation = opened.value?.conversation
  const screens = [['newChat', s.newChat], ['start', s.home], ['inbox', s.inbox], [
    'tasks', s.tasks
  ], ['skills', s.skills], ['memory', s.memory], ['usage', s.usage], ['models', s.models], ['settings', s.settings]] as const
  return [
    ...(conversation === undefined ? [] : chatCommands(conversation)),
    ...screens.map(([place, text]): Entry => ({ id: place, group: 'screens', text, onPick: goTo(places[place]) })),
    ...projects.value.map(({ project_id: id, name }): Entry => ({
      id: `new in ${id}`,
      group: 'app',
      text: w.newChatIn(name),
      onPick: () => {
        navigate(places.newChat)
        nextSession.value = { project_id: id }
      }
    })),
    ...(['light', 'dark', 'system'] as const).map((look): Entry => ({
      id: look, group: 'app', text: w[look], keywords: 'theme', onPick: () => { theme.value = look }
    })),
    ...languageCodes.map((code): Entry => ({
      id: `speak ${code}`, group: 'app', text: w.speak(languages[code]), keywords: 'language', onPick: () => { void chooseLanguage(code) }
    })),
    { id: 'phone', group: 'app', text: w.onPhone, keywords: 'qr', onPick: () => { overlay.value = 'phone' } },
    { id: 'shortcuts', group: 'app', text: w.shortcuts, keywords: '?', onPick: () => { overlay.value = 'shortcuts' } }
  ]
}

function chatCommands (conversation: Conversation): Entry[] {
  const session = conversation.session.value
  if (session === null) return []
  const w = screenWords.value.palette
  const { session_id: id, pinned, archived } = session
  const own: Entry[] = session.read_only
    ? []
    : [
        ...(conversation.mode.value === 'running'
          ? [{ id: 'stop', group: 'inChat' as const, text: w.stop, onPick: () => { void conversation.stop() } }]
          : []),
        ...(conversation.mode.value === 'idle' && session.message_count > 0
          ? [{ id: 'retry', group: 'inChat' as const, text: w.retry, onPick: tried(() => askAgain(conversation)) }]
          : []),
        { id: 'rename', group: 'inChat', text: w.rename, asks: 'title', onPick: () => {} },
        { id: 'pin', group: 'inChat', text: pinned ? w.unpin : w.pin, onPick: tried(() => pinSession(api, id, !pinned)) },
        {
          id: 'archive', group: 'inChat', text: archived ? w.unarchive : w.archive, onPick: tried(() => archiveSession(api, id, !archived))
        }
      ]
  return [
    ...own,
    {
      id: 'branch', group: 'inChat', text: w.branch,
      onPick: tried(async () => navigate(places.session((await branchSession(api, id)).session_id)))
    },
    ...(['json', 'html'] as const).map((format): Entry => ({
      id: format, group: 'inChat', text: format === 'json' ? w.exportJson : w.exportHtml,
      onPick: () => location.assign(api.url('/api/session/export', { session_id: id, format }))
    }))
  ]
}

async function askAgain (conversation: Conversation): Promise<void> {
  const resent = await retryLast(conversation)
  if (resent !== null && !resent.isSent) giveBack(resent)
}
