import { useEffect, useRef, useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { Loaded } from '../ui/Loaded.js'
import { announce } from '../ui/Announcer.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { ArrowDown, ArrowUp, Plus, X } from '../ui/icons.js'
import { toast } from '../ui/Toast.js'
import { screenWords, words } from '../words/index.js'
import { fallbackKey, fallbacksBody, moved, withFallback, type Fallback } from './fallback-list.js'
import { ModelPicker } from './ModelPicker.js'
import { catalog, fallbacks } from './store.js'

/** Edits the fallbacks of the default model and their order. */
export function Fallbacks () {
  const w = screenWords.value.models
  return (
    <section class='models-fallbacks' aria-label={w.fallbacks}>
      <p class='models-slot-name'>{w.fallbacks}</p>
      <Loaded of={fallbacks} lines={2}>{(list) => <FallbackList {...list} />}</Loaded>
    </section>
  )
}

function FallbackList ({ fallbacks: list, version }: Wire<'ModelFallbacks'>) {
  const [isPicking, setPicking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const rows = useRef<HTMLOListElement>(null)
  /** The button that gets the focus back after it has moved its row. */
  const focused = useRef<{ key: string, button: string } | null>(null)
  useEffect(() => {
    if (focused.current === null || isBusy) return
    const { key, button } = focused.current
    const row = [...rows.current?.children ?? []].find((one) => one.getAttribute('data-key') === key)
    const wanted = row?.querySelector<HTMLButtonElement>(`[data-move="${button}"] button:not(:disabled)`) ??
      row?.querySelector<HTMLButtonElement>('[data-move] button:not(:disabled)')
    wanted?.focus()
    focused.current = null
  }, [list, isBusy])
  const w = screenWords.value.models
  const save = async (next: readonly Fallback[], from = version): Promise<string | null> => {
    setBusy(true)
    let saved: string | null = null
    const isDone = await attempt(async () => {
      const answer = await api.post('/api/model/fallbacks', fallbacksBody(next, from))
      saved = answer.version
      fallbacks.set(answer)
    })
    // Someone else may have changed the list, so the current one is shown.
    if (!isDone) await fallbacks.refresh()
    void catalog.refresh()
    setBusy(false)
    return saved
  }
  const move = async (one: Fallback, to: number, button: string): Promise<void> => {
    focused.current = { key: fallbackKey(one), button }
    if (await save(moved(list, list.indexOf(one), to)) !== null) announce(w.fallbackMoved(nameOf(one), to + 1))
  }
  const remove = async (one: Fallback): Promise<void> => {
    const saved = await save(list.filter((other) => other !== one))
    if (saved !== null) {
      toast(w.fallbackRemoved(nameOf(one)), {
        about: 'fallbacks', action: { text: words.value.common.undo, onPick: () => { void save(list, saved) } }
      })
    }
  }
  return (
    <>
      <p class='settings-note'>{list.length === 0 ? w.noFallbacks : w.fallbacksNote}</p>
      {list.length === 0
        ? null
        : (
          <ol ref={rows} class='models-fallback-list'>
            {list.map((one, at) => (
              <li key={fallbackKey(one)} data-key={fallbackKey(one)} class='models-fallback'>
                <span class='models-slot-text'>
                  <bdi>{nameOf(one)}</bdi> <span class='settings-note'>{one.means?.provider_name ?? one.provider}</span>
                  {one.problem === null ? null : <span class='provider-bad'> {one.problem}</span>}
                </span>
                <span data-move='up'>
                  <Button
                    kind='quiet' size='small' icon={ArrowUp} label={w.moveUp(nameOf(one))} disabled={isBusy || at === 0}
                    onClick={() => { void move(one, at - 1, 'up') }}
                  />
                </span>
                <span data-move='down'>
                  <Button
                    kind='quiet' size='small' icon={ArrowDown} label={w.moveDown(nameOf(one))}
                    disabled={isBusy || at === list.length - 1}
                    onClick={() => { void move(one, at + 1, 'down') }}
                  />
                </span>
                <Button
                  kind='quiet' size='small' icon={X} label={w.removeFallback(nameOf(one))} disabled={isBusy}
                  onClick={() => { void remove(one) }}
                />
              </li>
            ))}
          </ol>)}
      <div><Button icon={Plus} busy={isBusy} onClick={() => setPicking(true)}>{w.addFallback}</Button></div>
      <ModelPicker
        open={isPicking}
        onClose={() => setPicking(false)}
        title={w.addFallback}
        onPick={(model, provider) => { void save(withFallback(list, model, provider)) }}
      />
    </>
  )
}

const nameOf = ({ means, model, provider }: Fallback): string => means?.label ?? model ?? provider ?? ''
