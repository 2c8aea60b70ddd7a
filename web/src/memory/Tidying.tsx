import { api } from '../app.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Spinner } from '../ui/Spinner.js'
import { toast } from '../ui/toasts.js'
import { useReading } from '../ui/use-reading.js'
import { screenWords, words } from '../words/index.js'
import { Difference } from './Difference.js'
import { type Section } from './documents.js'
import { documents } from './memory.js'

/** Shows a model's tidier version as a diff, and saves it when accepted. */
export function Tidying ({ section, onClose }: { section: Section, onClose: () => void }) {
  const proposal = useReading(async () => await api.post('/api/memory/curate', { section }), [section])
  const w = screenWords.value.memory
  const value = proposal.value.value
  const error = proposal.error.value
  const accept = async ({ text, version }: { text: string, version: string }): Promise<void> => {
    const before = documents.value.value
    const isDone = await attempt(() => api.post('/api/memory/write', { section, content: text, if_match: version }))
    await documents.refresh()
    if (!isDone) return
    const restore = async (): Promise<void> => { await undo(section); await documents.refresh() }
    toast(w.tidied, {
      kind: 'good',
      ...(before === undefined ? {} : { action: { text: words.value.common.undo, onPick: () => { void attempt(restore) } } })
    })
    onClose()
  }
  return (
    <section class='memory-beside' aria-label={w.tidy}>
      <h2>{w.proposal}</h2>
      {error !== null
        ? <ErrorState error={error} busy={proposal.isLoading.value} onRetry={() => { void proposal.refresh() }} />
        : value === undefined || proposal.isLoading.value
          ? <p class='memory-about' role='status'><Spinner size={14} label={words.value.ui.working} /> {w.tidying}</p>
          : value.diff === '' ? <p class='memory-about'>{w.tidyAlready}</p> : <Difference diff={value.diff} />}
      <div class='memory-actions'>
        {value !== undefined && value.diff !== '' && error === null
          ? <Button kind='primary' onClick={() => { void accept(value) }}>{w.accept}</Button>
          : null}
        <Button onClick={onClose}>{value?.diff === '' || error !== null ? words.value.common.close : w.leave}</Button>
      </div>
    </section>
  )
}

/** Restores the version before the current one. */
async function undo (section: Section): Promise<void> {
  const { versions } = await api.get('/api/memory/history', { section })
  const before = versions[1]
  if (before !== undefined) await api.post('/api/memory/restore', { section, id: before.id })
}
