import { type ComponentType } from 'preact'
import { ConversationScreen } from '../conversation/ConversationScreen.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'
import { Page } from './Page.js'

/** A screen that is loaded on first use. Its title is shown meanwhile. */
const later = (
  name: 'away' | 'waiting' | 'tasks' | 'hooks' | 'attempts' | 'memory' | 'skills' | 'models' | 'usage' | 'settings',
  load: () => Promise<ComponentType<{ params: Record<string, string> }>>
) =>
  lazy(load, { frame: (content) => <Page title={words.value.shell[name]}>{content}</Page> })

const SettingsScreen = later('settings', async () => (await import('../settings/SettingsScreen.js')).SettingsScreen)

/** The screens by address. All but chats are loaded on first use. */
export const screens: ReadonlyArray<{ path: string | RegExp, screen: ComponentType<{ params: Record<string, string> }> }> = [
  // One route for the start, a new chat and existing ones, so that the composer and its text survive from one to the other.
  { path: /^\/(?:new\/?|session\/(?<id>[^/]+)\/?)?$/, screen: ConversationScreen },
  { path: '/away', screen: later('away', async () => (await import('../away/AwayScreen.js')).AwayScreen) },
  { path: '/inbox', screen: later('waiting', async () => (await import('../inbox/InboxScreen.js')).InboxScreen) },
  { path: '/tasks', screen: later('tasks', async () => (await import('../tasks/TasksScreen.js')).TasksScreen) },
  { path: '/tasks/hooks', screen: later('hooks', async () => (await import('../hooks/HooksScreen.js')).HooksScreen) },
  { path: '/attempts', screen: later('attempts', async () => (await import('../attempts/AttemptsScreen.js')).AttemptsScreen) },
  { path: '/memory', screen: later('memory', async () => (await import('../memory/MemoryScreen.js')).MemoryScreen) },
  { path: '/skills', screen: later('skills', async () => (await import('../skills/SkillsScreen.js')).SkillsScreen) },
  { path: '/models', screen: later('models', async () => (await import('../models/ModelsScreen.js')).ModelsScreen) },
  { path: '/usage', screen: later('usage', async () => (await import('../usage/UsageScreen.js')).UsageScreen) },
  { path: '/settings', screen: SettingsScreen },
  { path: '/settings/:section', screen: SettingsScreen }
]
