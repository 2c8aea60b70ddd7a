import { type ComponentChildren } from 'preact'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { createResource } from '../core/service/resource.js'
import { places } from '../shell/places.js'
import { helpPage } from '../ui/help.js'
import { Link } from '../ui/Link.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { Loaded } from '../ui/Loaded.js'
import { Part } from './Part.js'

const health = createResource(async () => await api.get('/api/system/health'))

/** Shows the health of the service, its documentation and licence, and who sets its address. */
export function About () {
  const { about: w, byAdministrator } = screenWords.value.settings
  return (
    <>
      <Loaded of={health} lines={8}>
        {(now) => {
          const facts: ReadonlyArray<readonly [string, ComponentChildren]> = [
            [w.state, now.status === 'ok' ? w.ok : `${w.degraded}: ${now.reason ?? ''}`],
            [w.node, now.node],
            [w.sqlite, now.sqlite],
            [w.uptime, times.at(Date.now() / 1_000 - now.uptime_seconds)],
            [w.memory, `${Math.round(now.memory_bytes / 1_048_576)} MiB`],
            [w.database, [now.database.writable ? w.writable : w.readOnly, ...now.database.check === 'ok' ? [] : [now.database.check]].join(', ')],
            [w.backup, now.backup.warning ?? backupState(now.backup.result)],
            [w.agent, now.agent.running ? w.running : w.resting],
            [w.sandbox, <Sandbox sandbox={now.sandbox} />],
            [w.git, `${now.git.engine} ${now.git.version}`]
          ]
          return (
            <dl class='settings-facts'>
              {facts.map(([name, fact]) => <div key={name} class='settings-fact'><dt>{name}</dt><dd>{fact}</dd></div>)}
            </dl>
          )
        }}
      </Loaded>
      <p class='settings-link'><a href={helpPage()} target='_blank' rel='noreferrer'>{w.help}</a></p>
      <p class='settings-link'><a href='/docs' target='_blank' rel='noreferrer'>{w.docs}</a></p>
      <p class='settings-note'>
        {w.licence} <a href='/static/app/THIRD-PARTY-NOTICES.txt' target='_blank' rel='noreferrer'>{w.licences}</a>
      </p>
      <Part name='network'><p class='settings-note'>{byAdministrator}</p></Part>
    </>
  )
}

function backupState (result: string): string {
  const { ok, backups } = screenWords.value.settings.about
  return result === 'ok' ? ok : backups[result as keyof typeof backups] ?? result
}

/** Says how commands are limited. Diagnostics says what that does not prevent, or why they are not. */
function Sandbox ({ sandbox: { kind } }: { sandbox: Wire<'SystemHealth'>['sandbox'] }) {
  const { pages, about: { sandboxes } } = screenWords.value.settings
  const said = kind === null ? sandboxes.none : kind === 'container' ? sandboxes.container : sandboxes.bwrap
  return <><p>{said}</p><p class='settings-link'><Link href={`${places.settings}/diagnostics`}>{pages.diagnostics}</Link></p></>
}
