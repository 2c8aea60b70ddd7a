import { useState } from 'preact/hooks'
import { type ComponentType } from 'preact'
import { Link } from 'wouter-preact'
import { theme, type Theme } from '../shell/appearance.js'
import { Page } from '../shell/Page.js'
import { places } from '../shell/places.js'
import { lazy } from '../ui/lazy.js'
import { SelectField, TextField } from '../ui/Field.js'
import { Segmented } from '../ui/Segmented.js'
import { isPhone } from '../ui/screen.js'
import { toast } from '../ui/Toast.js'
import { chooseLanguage, languageCodes, languages, ownLanguage, screenWords, words } from '../words/index.js'
import { ConfigNotes } from './ConfigNotes.js'
import { findSections, isSection, settingsOf, type SectionName } from './fields.js'
import { Loaded } from './Loaded.js'
import { SettingView } from './SettingView.js'
import { serviceSettings } from './store.js'
import './settings.css'

const views: Partial<Record<SectionName, ComponentType<object>>> = {
  assistant: ModelsLink,
  appearance: Appearance,
  security: lazy(async () => (await import('./Security.js')).Security),
  devices: lazy(async () => (await import('./Devices.js')).Devices),
  audit: lazy(async () => (await import('./Audit.js')).Audit),
  notifications: lazy(async () => (await import('./Push.js')).Push),
  machines: lazy(async () => (await import('../machines/MachinesView.js')).MachinesView),
  profiles: lazy(async () => (await import('./Profiles.js')).Profiles),
  mcp: lazy(async () => (await import('./McpServers.js')).McpServers),
  agents: lazy(async () => (await import('./Agents.js')).Agents),
  plugins: lazy(async () => (await import('./Plugins.js')).Plugins),
  updates: lazy(async () => (await import('./Updates.js')).Updates),
  transfer: lazy(async () => (await import('./Transfer.js')).Transfer),
  grants: lazy(async () => (await import('./Grants.js')).Grants),
  personalities: lazy(async () => (await import('./Personalities.js')).Personalities),
  shares: lazy(async () => (await import('./Shares.js')).Shares),
  archive: lazy(async () => (await import('./Archive.js')).Archive),
  budgets: lazy(async () => (await import('./Budgets.js')).Budgets),
  shortcuts: lazy(async () => (await import('./Shortcuts.js')).Shortcuts),
  diagnostics: lazy(async () => (await import('./Diagnostics.js')).Diagnostics),
  about: lazy(async () => (await import('./About.js')).About),
  network: () => <p class='settings-note'>{screenWords.value.settings.networkNote}</p>
}

/** Shows all settings, one section at a time, with a search through all of them. */
export function SettingsScreen ({ params: { section } }: { params: Record<string, string> }) {
  const [search, setSearch] = useState('')
  const w = screenWords.value.settings
  const chosen = section !== undefined && isSection(section) ? section : null
  const found = findSections(search, sectionWords)
  // A desk shows the first section beside the list; a phone shows one of the two.
  const shown = search.trim() !== '' ? null : chosen ?? (isPhone.value ? null : 'appearance')
  const isListShown = !isPhone.value || shown === null
  return (
    <Page title={shown !== null && isPhone.value ? w.sections[shown] : w.title} wide>
      <div class='settings-screen'>
        {isListShown
          ? (
            <nav class='settings-nav' aria-label={w.title}>
              <TextField label={w.search} bare type='search' placeholder={w.search} value={search} onValue={setSearch} />
              {found.map((name) => (
                <Link
                  key={name} href={`${places.settings}/${name}`} aria-current={name === shown ? 'page' : undefined}
                  onClick={() => setSearch('')}
                >
                  {w.sections[name]}
                </Link>
              ))}
              {found.length === 0 ? <p class='settings-note' role='status'>{w.noMatches(search.trim())}</p> : null}
            </nav>
            )
          : <p><Link href={places.settings}>{w.all}</Link></p>}
        <div class='settings-body'>
          <ConfigNotes />
          {shown !== null
            ? <Section key={shown} name={shown} />
            : search.trim() === '' ? null : found.map((name) => <Found key={name} name={name} search={search} />)}
        </div>
      </div>
    </Page>
  )
}

/** Returns all words by which a section is found. */
function sectionWords (name: SectionName): string {
  const w = screenWords.value.settings
  const more: Partial<Record<SectionName, readonly object[]>> = {
    security: [w.gate, w.passkeys, w.oidc], devices: [screenWords.value.devices],
    audit: [screenWords.value.audit], machines: [screenWords.value.machines], notifications: [w.push], updates: [w.updates],
    transfer: [w.transfer], shares: [w.shares], grants: [w.grants], personalities: [w.personalities], agents: [screenWords.value.agents],
    diagnostics: [screenWords.value.diagnostics, screenWords.value.diagnostics.titles], about: [w.about]
  }
  const spoken = (more[name] ?? []).flatMap((part) => Object.values(part)).filter((text) => typeof text === 'string')
  return [
    w.sections[name], name, ...(name === 'appearance' ? [w.theme, w.language] : []),
    ...(settingsOf[name] ?? []).flatMap(({ key }) => [key, ...(w.keys[key] ?? [])]), ...spoken
  ].join(' ')
}

function Section ({ name }: { name: SectionName }) {
  const View = views[name]
  const w = screenWords.value.settings
  return (
    <section class='settings-block' aria-labelledby='settings-section'>
      <h2 id='settings-section' class={isPhone.value ? 'visually-hidden' : undefined}>{w.sections[name]}</h2>
      {View === undefined ? null : <View />}
      {name === 'advanced' ? <p class='settings-note'>{w.otherClients}</p> : null}
      <Settings name={name} />
    </section>
  )
}

/** Shows the settings of a section that match; a section that matches by name alone is a link. */
function Found ({ name, search }: { name: SectionName, search: string }) {
  const w = screenWords.value.settings
  return (
    <section class='settings-block'>
      <h2><Link href={`${places.settings}/${name}`}>{w.sections[name]}</Link></h2>
      <Settings name={name} search={search} />
    </section>
  )
}

function Settings ({ name, search = '' }: { name: SectionName, search?: string }) {
  const w = screenWords.value.settings
  const sought = search.trim().toLocaleLowerCase().split(/\s+/)
  const shown = (settingsOf[name] ?? []).filter(({ key }) => {
    const said = [key, ...(w.keys[key] ?? [w.unnamed(key)])].join(' ').toLocaleLowerCase()
    return sought.every((word) => said.includes(word))
  })
  if (shown.length === 0) return null
  return (
    <Loaded of={serviceSettings} lines={6}>
      {(values: Readonly<Record<string, unknown>>) => (
        <>{shown.map((setting) => <SettingView key={setting.key} setting={setting} value={values[setting.key]} />)}</>
      )}
    </Loaded>
  )
}

function Appearance () {
  const w = screenWords.value.settings
  const themes: readonly Theme[] = ['system', 'light', 'dark']
  return (
    <>
      <div class='field'>
        <span class='field-label'>{w.theme}</span>
        <Segmented
          label={w.theme}
          choices={themes.map((key) => ({ key, text: w.choice(key) }))}
          chosen={theme.value}
          onChoose={(key) => { theme.value = key }}
        />
        <p class='field-hint'>{w.onThisDevice}</p>
      </div>
      <SelectField
        label={w.language} hint={w.onThisDevice} value={ownLanguage.value ?? ''}
        choices={[{ key: '', text: w.asService }, ...languageCodes.map((key) => ({ key, text: languages[key] }))]}
        onValue={(key) => { chooseLanguage(key === '' ? null : key).catch(() => toast(words.value.ui.partMissing, { kind: 'bad' })) }}
      />
    </>
  )
}

function ModelsLink () {
  const w = screenWords.value.settings
  return <p class='settings-note'><Link href={places.models}>{w.models}</Link>: {w.modelsNote}</p>
}
