import { lazy } from '../ui/lazy.js'
import { railMenu, settingUp, sharing } from './rail-state.js'

const ChatMenus = lazy(async () => (await import('./ChatMenus.js')).ChatMenus, { waiting: null })

/** The open menu of a chat or a project, and the dialogs that it leads to. Its code is loaded on first use, or by `loadMenus`. */
export const OpenMenus = () => railMenu.value === null && sharing.value === null && settingUp.value === null ? null : <ChatMenus />

/** Loads the code of menus ahead of time, so that one opens without delay. */
export const loadMenus = (): void => { ChatMenus.load().catch(() => {}) }
