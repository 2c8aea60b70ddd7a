import { navigate } from 'wouter-preact/use-browser-location'
import { api, sessions } from '../app.js'
import { giveBack, nextSession, openChat } from '../conversation/open-chat.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { type Searchable } from '../core/screen/palette-search.js'
import { retryLast } from '../core/conversation/resending.js'
import { archiveSession, branchSession, pinSession } from '../core/sessions/session-actions.js'
import { theme } from '../shell/appearance.js'
import { chatTitle } from '../shell/chat-title.js'
import { overlay } from '../shell/palette.js'
import { places } from '../shell/places.js'
import { inProject, projects } from '../shell/projects.js'
import { addressOf } from '../settings/place.js'
import { placeOf, searchableSettings } from '../settings/search.js'
import { type Setting } from '../settings/table.js'
import { attempt } from '../ui/attempt.js'
import { helpPage } from '../ui/help.js'
import {
  Archive, BookOpen, Box, Brain, CalendarClock, ChartNoAxesColumn, Download, Folder, GitFork, GitBranch, Hourglass, House, Inbox, Keyboard,
  Languages, LifeBuoy, MessageCircleDashed, MessageSquare, Palette, Pencil, Pin, RotateCw, Settings2, Smartphone, Square, SquarePen,
  TextSearch, Webhook
} from '../ui/icons.js'
import { type LucideIcon } from '../ui/lucide.js'
import { chooseLanguage, languageCodes, languages, screenWords, words } from '../words/index.js'
import { times } from '../words/times.js'
import { recentPicks } from './recent-picks.js'

/** The groups of entries, in the order in which they are shown. */
export const entryGroups = ['recent', 'best', 'inChat', 'screens', 'app', 'settings', 'chats', 'messages', 'files', 'ask'] as const
export type EntryGroup = typeof entryGroups[number]

/** An entry of the palette. `onPick` runs after the palette has closed; `asks`: it asks for a title first. */
export interface Entry extends Searchable {
  readonly id: string
  readonly group: EntryGroup
  readonly icon: LucideIcon
  /** Shown after its text, such as the location of a setting. */
  readonly note?: string
  /** Shown before its text, such as the chat in which a message was found. */
  readonly before?: string
  /** Shown at its end, such as a time. */
  readonly end?: string
  readonly asks?: 'title'
  /** Whether it is shown only if the person searches for it. */
  readonly isSought?: true
  /** The setting that it changes in place; the palette stays open. */
  readonly setting?: Setting
  readonly onPick: () => void
}

const goTo = (path: string) => (): void => navigate(path)
const tried = (act: () => Promise<unknown>) => (): void => { void attempt(async () => { await act() }) }

interface ChatRow { session_id: string, title: string, last_message_at?: number | null, updated_at?: number | null }

/** Returns the entry of a chat. `excerpt`: the match in its messages. */
export function chatEntry (row: ChatRow, group: 'recent' | 'chats' | 'messages', excerpt?: string): Entry {
  const { session_id: id, last_message_at: lastAt, updated_at: updatedAt } = row
  const title = chatTitle(row.title)
  const at = lastAt ?? updatedAt ?? null
  return {
    id: `chat ${id}`, group, isWritten: true, onPick: goTo(places.session(id)), ...(at !== null && { end: times.short(at) }),
    ...(excerpt === undefined ? { text: title, icon: MessageSquare } : { text: `“${excerpt}”`, before: title, icon: TextSearch })
  }
}

/** Returns the entries that were picked last, and the most recently active chats. */
export function recentEntries (most: number): Entry[] {
  const known = commands()
  const picked = recentPicks().flatMap((id) => known.filter((entry) => entry.id === id && entry.group !== 'inChat'))
  return [
    ...picked.map((entry): Entry => ({ ...entry, group: 'recent' })),
    ...sessions.rows.value.slice(0, most - picked.length).map((row) => chatEntry(row, 'recent'))
  ]
}

/** Returns the chats in the list; the service searches all of them. */
export const listedChats = (): Entry[] => sessions.rows.value.map((row) => chatEntry(row, 'chats'))

/** Returns the settings, each with its control if a key press can change it. */
export function settingEntries (): Entry[] {
  return searchableSettings().map(({ setting, text, keywords = '' }) => ({
    id: `setting ${setting.key}`, group: 'settings', icon: Settings2, text, keywords, setting, note: placeOf(setting.page),
    onPick: goTo(addressOf(setting))
  }))
}

/** Returns actions and screens, and the actions of the open chat. */
export function commands (): Entry[] {
  const w = screenWords.value.palette
  const s = words.value.shell
  const conversation = openChat.value?.conversation
  const screens = [
    ['newChat', s.newChat, SquarePen, 'begin compose 新建'], ['start', s.home, House, 'home start away finished 首页'],
    ['away', s.away, Hourglass, 'running queued waiting silent overview 运行 排队 概览'],
    ['inbox', s.waiting, Inbox, 'inbox waiting approvals questions 等待 许可'],
    ['tasks', s.tasks, CalendarClock, 'schedule cron every morning 定时 每天'],
    ['hooks', s.hooks, Webhook, 'webhook github gitea gitlab trigger outside 外部 触发'],
    ['attempts', s.attempts, GitFork, 'best of several parallel compare worktrees 多次 比较'],
    ['skills', s.skills, BookOpen, 'abilities plugins 技能'],
    ['memory', s.memory, Brain, 'facts remember persona notes 记忆 记住'],
    ['usage', s.usage, ChartNoAxesColumn, 'cost money tokens spend statistics 费用 花费 令牌 统计'],
    ['models', s.models, Box, 'key provider openai anthropic default fallback 密钥 提供商'],
    ['settings', s.settings, Settings2, 'preferences options configuration 偏好 选项']
  ] as const
  return [
    ...(conversation === undefined ? [] : chatCommands(conversation)),
    ...screens.map(([place, text, icon, keywords]): Entry => ({
      id: place, group: 'screens', icon, text, keywords, onPick: goTo(places[place])
    })),
    ...projects.value.map((project): Entry => ({
      id: `new in ${project.project_id}`,
      group: 'app',
      icon: Folder,
      text: w.newChatIn(project.name),
      onPick: () => {
        navigate(places.newChat)
        nextSession.value = inProject(project)
      }
    })),
    ...(['light', 'dark', 'system'] as const).filter((look) => look !== theme.value).map((look): Entry => ({
      id: look, group: 'app', icon: Palette, text: w[look], keywords: 'theme colour color 主题 颜色', end: w.now(w.looks[theme.value]),
      isSought: true, onPick: () => { theme.value = look }
    })),
    ...languageCodes.map((code): Entry => ({
      id: `speak ${code}`, group: 'app', icon: Languages, text: w.speak(languages[code].name), keywords: 'language 语言 sprache langue idioma 言語', isSought: true,
      onPick: () => { void chooseLanguage(code) }
    })),
    {
      id: 'temporary', group: 'app', icon: MessageCircleDashed, text: w.temporary, keywords: 'private incognito unlisted 临时 无痕',
      onPick: () => {
        navigate(places.newChat)
        nextSession.value = { temporary: true }
      }
    },
    { id: 'phone', group: 'app', icon: Smartphone, text: w.onPhone, keywords: 'qr 二维码', onPick: () => { overlay.value = 'phone' } },
    {
      id: 'help', group: 'app', icon: LifeBuoy, text: w.help, keywords: 'docs documentation manual guide tour 文档 帮助',
      onPick: () => { window.open(helpPage(), '_blank', 'noopener') }
    },
    {
      id: 'shortcuts', group: 'app', icon: Keyboard, text: w.shortcuts, keywords: '? keys hotkeys 按键',
      onPick: () => { overlay.value = 'shortcuts' }
    }
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
          ? [{ id: 'stop', group: 'inChat' as const, icon: Square, text: w.stop, onPick: () => { void conversation.stop() } }]
          : []),
        ...(conversation.mode.value === 'idle' && session.message_count > 0
          ? [{ id: 'retry', group: 'inChat' as const, icon: RotateCw, text: w.retry, onPick: tried(() => askAgain(conversation)) }]
          : []),
        { id: 'rename', group: 'inChat', icon: Pencil, text: w.rename, keywords: 'title name 标题', asks: 'title', onPick: () => {} },
        { id: 'pin', group: 'inChat', icon: Pin, text: pinned ? w.unpin : w.pin, onPick: tried(() => pinSession(api, id, !pinned)) },
        {
          id: 'archive', group: 'inChat', icon: Archive, text: archived ? w.unarchive : w.archive,
          onPick: tried(() => archiveSession(api, id, !archived))
        }
      ]
  return [
    ...own,
    ...(session.temporary === true
      ? []
      : [{
          id: 'branch', group: 'inChat' as const, icon: GitBranch, text: w.branch, keywords: 'fork copy 复制',
          onPick: tried(async () => navigate(places.session((await branchSession(api, id)).session_id)))
        }]),
    ...(['json', 'html'] as const).map((format): Entry => ({
      id: format, group: 'inChat', icon: Download, text: format === 'json' ? w.exportJson : w.exportHtml,
      onPick: () => location.assign(api.url('/api/session/export', { session_id: id, format }))
    }))
  ]
}

async function askAgain (conversation: Conversation): Promise<void> {
  const resent = await retryLast(conversation)
  if (resent !== null && !resent.isSent) giveBack(resent)
}
