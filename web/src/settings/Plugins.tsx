import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { toast } from '../ui/Toast.js'
import { screenWords } from '../words/index.js'
import { Loaded } from '../ui/Loaded.js'
import { PluginDialog, type Plugin } from './PluginDialog.js'

const plugins = createResource(async () => await api.get('/api/plugins'))

/** Lists plugins, which stay disabled until someone has reviewed them. */
export function Plugins () {
  const w = screenWords.value.plugins
  return (
    <>
      <p class='settings-note'>{w.note} <code>plugins/</code></p>
      <Loaded of={plugins}>
        {({ plugins: list }) => list.length === 0
          ? <p class='settings-note'>{w.none}</p>
          : <ul class='settings-list'>{list.map((plugin) => <PluginRow key={plugin.name} plugin={plugin} />)}</ul>}
      </Loaded>
    </>
  )
}

function PluginRow ({ plugin }: { plugin: Plugin }) {
  const [isLooking, setLooking] = useState(false)
  const w = screenWords.value.plugins
  const { name, description, enabled, changed, problem } = plugin
  const state = changed ? w.changed : enabled ? w.on : w.off
  const about = w.by(plugin.author ?? '', plugin.version ?? '')
  const set = async (isOn: boolean): Promise<boolean> => {
    const isDone = await attempt(async () => await api.post('/api/plugins', { name, enabled: isOn, seal: plugin.seal }))
    if (isDone) toast(isOn ? w.isOn(name) : w.isOff(name))
    await plugins.refresh()
    return isDone
  }
  const deed = enabled ? w.lookAgain : w.look
  return (
    <li class='provider'>
      <div class='provider-head'>
        <h3 class='provider-name'>{name}</h3>
        <Badge kind={changed ? 'accent' : enabled ? 'good' : 'neutral'}>{state}</Badge>
      </div>
      {description === '' ? null : <p class='provider-note'><bdi>{description}</bdi></p>}
      {about === '' ? null : <p class='provider-note'><bdi>{about}</bdi></p>}
      {problem === null ? null : <p class='provider-bad' role='status'>{problem}</p>}
      {changed && problem === null ? <p class='provider-note'>{w.changedNote}</p> : null}
      <div class='provider-actions'>
        {problem === null && (!enabled || changed)
          ? <Button kind='primary' label={`${deed}: ${name}`} onClick={() => setLooking(true)}>{deed}</Button>
          : null}
        {enabled ? <Button label={`${w.switchOff}: ${name}`} onClick={() => { void set(false) }}>{w.switchOff}</Button> : null}
      </div>
      {isLooking ? <PluginDialog plugin={plugin} onClose={() => setLooking(false)} onSwitchOn={async () => await set(true)} /> : null}
    </li>
  )
}
