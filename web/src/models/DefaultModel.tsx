import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { Loaded } from '../ui/Loaded.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Switch } from '../ui/Field.js'
import { useReading } from '../ui/use-reading.js'
import { screenWords, words } from '../words/index.js'
import { type ModelChoice } from './catalog.js'
import { setDefault } from './choosing.js'
import { EffortPicker } from './EffortPicker.js'
import { factsOf } from './facts.js'
import { Fallbacks } from './Fallbacks.js'
import { ModelPicker } from './ModelPicker.js'
import { demoProvider, shownName } from './shown-name.js'
import { catalog } from './store.js'

/** Sets the default model, its effort and its fallbacks. */
export function DefaultModel () {
  const w = screenWords.value.models
  return (
    <section class='settings-block models-section'>
      <h2>{w.answers}</h2>
      <Loaded of={catalog}>{(reply) => <Chosen reply={reply} />}</Loaded>
    </section>
  )
}

function Chosen ({ reply }: { reply: Wire<'ModelsReply'> }) {
  const [isOpen, setOpen] = useState(false)
  const w = screenWords.value.models
  const isDemo = reply.active_provider === null || reply.active_provider === demoProvider
  const current: ModelChoice | null = reply.default_model === null ? null : { model: reply.default_model, provider: reply.active_provider }
  const row = reply.groups.flatMap(({ models, extra_models: extra }) => [...models, ...extra]).find(({ id }) => id === reply.default_model)
  return (
    <>
      <div class='models-slot'>
        <div class='models-slot-text'>
          <p class='models-main'><bdi>{shownName(reply.active_provider, row?.label ?? current?.model ?? w.none)}</bdi></p>
          {isDemo || row === undefined ? null : <p class='models-facts'>{factsOf(row, w.facts).join(' · ')}</p>}
          <p class='settings-note'>{isDemo ? w.demo : w.mainNote}</p>
        </div>
        <Button kind={isDemo ? 'primary' : 'plain'} label={`${w.change}: ${w.main}`} onClick={() => setOpen(true)}>{w.change}</Button>
      </div>
      {isDemo ? null : <Thinking choice={current} />}
      <Fallbacks />
      <ModelPicker
        open={isOpen}
        onClose={() => setOpen(false)}
        current={current}
        onPick={(model, provider) => { void setDefault({ model, provider }, isDemo ? null : current) }}
      />
    </>
  )
}

function Thinking ({ choice }: { choice: ModelChoice | null }) {
  const w = screenWords.value.models
  const state = useReading(async () => await api.get('/api/reasoning'), [], [choice?.model, choice?.provider])
  return (
    <Loaded of={state} lines={1}>
      {({ show_reasoning: isShown, supports_reasoning_effort: hasEffort }) => (
        <>
          <div class='models-slot'>
            <div class='models-slot-text'>
              <p class='models-slot-name'>{words.value.bar.effortTitle}</p>
              <p class='settings-note'>{hasEffort ? w.effortNote : w.noEffort}</p>
            </div>
            <EffortPicker choice={choice} />
          </div>
          <Switch
            label={w.showThinking} hint={w.showThinkingNote} checked={isShown}
            onChecked={(shown) => { void attempt(async () => state.set(await api.post('/api/reasoning', { display: shown }))) }}
          />
        </>
      )}
    </Loaded>
  )
}
