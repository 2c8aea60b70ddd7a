import { askInNewChat } from '../palette/ask.js'
import { Kbd } from '../ui/Badge.js'
import { Icon } from '../ui/Icon.js'
import { MessageSquare } from '../ui/icons.js'
import { screenWords } from '../words/index.js'
import { actOnHit } from './hit-keys.js'
import { useResource } from '../ui/Loaded.js'
import { SettingView } from './SettingView.js'
import { serviceSettings } from './store.js'
import { type Setting } from './table.js'

/** The found settings, each with its control, and a way to ask the agent instead. */
export function Hits ({ sought, found }: { sought: string, found: readonly Setting[] }) {
  useResource(serviceSettings)
  const w = screenWords.value.settings
  return (
    <section class='settings-block' aria-labelledby='settings-page'>
      <div class='settings-head'>
        <h2 id='settings-page' aria-live='polite'>{w.hits(found.length, sought)}</h2>
        {found.length === 0
          ? null
          : <p class='settings-keys'><Kbd>↑</Kbd> <Kbd>↓</Kbd> {w.toMove} <Kbd>↵</Kbd> {w.toChange}</p>}
      </div>
      {found.length === 0
        ? null
        : (
          <ul class='setting-rows settings-hits'>
            {found.map((setting) => (
              <li key={setting.key} tabIndex={-1} onKeyDown={actOnHit}><SettingView setting={setting} sought={sought} /></li>
            ))}
          </ul>
          )}
      <p class='settings-ask'>
        <Icon of={MessageSquare} /> {w.notMeant}{' '}
        <button type='button' onClick={() => askInNewChat(w.question(sought))}>{w.ask(sought)}</button>
      </p>
    </section>
  )
}
