import { type ComponentType } from 'preact'
import { lazy } from '../ui/lazy.js'
import { isPhone } from '../ui/screen.js'
import { screenWords } from '../words/index.js'
import { Loaded } from '../ui/Loaded.js'
import { SettingView } from './SettingView.js'
import { serviceSettings } from './store.js'
import { settingsTable, type PageName } from './table.js'

/** The contents of pages besides rows of settings: `above` and `below` them. Parts of a page without a view are links. */
const views: Partial<Record<PageName, { above?: ComponentType<object>, below?: ComponentType<object> }>> = {
  shortcuts: { below: lazy(async () => (await import('./Shortcuts.js')).Shortcuts) },
  notifications: { above: lazy(async () => (await import('./Push.js')).Push) },
  behaviour: { below: lazy(async () => (await import('./Personalities.js')).Personalities) },
  permissions: { above: lazy(async () => (await import('./Permissions.js')).Permissions) },
  budgets: { above: lazy(async () => (await import('./Budgets.js')).Budgets) },
  profiles: { above: lazy(async () => (await import('./Profiles.js')).Profiles) },
  'sign-in': {
    above: lazy(async () => (await import('./Security.js')).Security), below: lazy(async () => (await import('./SignOut.js')).SignOut)
  },
  devices: { above: lazy(async () => (await import('./Devices.js')).Devices) },
  shares: { above: lazy(async () => (await import('./Shares.js')).Shares) },
  'tool-servers': { above: lazy(async () => (await import('./McpServers.js')).McpServers) },
  machines: { above: lazy(async () => (await import('../machines/MachinesView.js')).MachinesView) },
  plugins: { above: lazy(async () => (await import('./Plugins.js')).Plugins) },
  transfer: { above: lazy(async () => (await import('./Transfer.js')).Transfer) },
  archive: { above: lazy(async () => (await import('./Archive.js')).Archive) },
  audit: { above: lazy(async () => (await import('./Audit.js')).Audit) },
  diagnostics: { above: lazy(async () => (await import('./Diagnostics.js')).Diagnostics) },
  about: { above: lazy(async () => (await import('./Updates.js')).Updates), below: lazy(async () => (await import('./About.js')).About) }
}

/** One page of the settings: its title, its settings as rows, and its own views. */
export function SettingsPage ({ name }: { name: PageName }) {
  const w = screenWords.value.settings
  const view = views[name]
  const { above: Above, below: Below } = view ?? {}
  const rows = settingsTable.filter(({ page, kind }) => page === name && (kind !== 'part' || view === undefined))
  return (
    <section class='settings-block' aria-labelledby='settings-page'>
      <h2 id='settings-page' class={isPhone.value ? 'visually-hidden' : undefined}>{w.pages[name]}</h2>
      {Above === undefined ? null : <Above />}
      {rows.length === 0
        ? null
        : (
          <Loaded of={serviceSettings} lines={6}>
            {() => <div class='setting-rows'>{rows.map((setting) => <SettingView key={setting.key} setting={setting} />)}</div>}
          </Loaded>
          )}
      {Below === undefined ? null : <Below />}
    </section>
  )
}
