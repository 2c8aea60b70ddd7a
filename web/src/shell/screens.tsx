import { type ComponentType } from 'preact'
import { ConversationScreen } from '../conversation/ConversationScreen.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'
import { Page } from './Page.js'

/** A screen that is loaded when it is first looked at. Its name stands there before it does. */
const later = (
  name: 'inbox' | 'tasks' | 'memory' | 'skills' | 'models' | 'usage' | 'settings',
  load: () => Promise<ComponentType<{ params: Record<string, string> }>>
) =>
  lazy(load, { frame: (content) => <Page title={words.value.shell[name]}>{content}</Page> })

const SettingsScreen = later('settings', async () => (await import('../settings/SettingsScreen.js')).SettingsScreen)

/** What stands at which address. What is not a conversation is loaded when it is first looked at. */
export const screens: ReadonlyArray<{ path: string | RegExp, screen: ComponentType<{ params: Record<string, string> }> }> = [
  // One place for a new chat and for those that are, so that the one becomes the other without being drawn anew.
  { path: /^\/(?:session\/(?<id>[^/]+)\/?)?$/, screen: ConversationScreen },
  { path: '/inbox', screen: later('inbox', async () => (await import('../inbox/InboxScreen.js')).InboxScreen) },
  { path: '/tasks', screen: later('tasks', async () => (await import('../tasks/TasksScreen.js')).TasksScreen) },
  { path: '/memory', screen: later('memory', async () => (await import('../memory/MemoryScreen.js')).MemoryScreen) },
  { path: '/skills', screen: later('skills', async () => (await import('../skills/SkillsScreen.js')).SkillsScreen) },
  { path: '/models', screen: later('models', async () => (await import('../models/ModelsScreen.js')).ModelsScreen) },
  { path: '/usage', screen: later('usage', async () => (await import('../usage/UsageScreen.js')).UsageScreen) },
  { path: '/settings', screen: SettingsScreen },
  { path: '/settings/:section', screen: SettingsScreen }
]
