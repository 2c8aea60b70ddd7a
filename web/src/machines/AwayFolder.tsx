import { type ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { absenceOf } from '../core/machines/machines.js'
import { visible } from '../core/files/paths.js'
import { openDialogs } from '../ui/open-dialogs.js'
import { EmptyState } from '../ui/EmptyState.js'
import { Unplug } from '../ui/icons.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { sayFolderAbsence } from './say.js'
import { machines, useMachines } from './store.js'

/**
 * Shows a view of a folder on another machine, or, while the machine is absent, which one and since when. A dialog stays open, because
 * someone may be writing in it. `failed`: the last error of reading the folder, which may mean that the machine has just left. `onBack`:
 * called when the machine is back.
 */
export function AwayFolder ({ name, failed, onBack, children }: {
  name: string
  failed: unknown
  onBack: () => void
  children: ComponentChildren
}) {
  const { value, error } = useMachines()
  const list = value.value
  const absence = absenceOf(name, list)
  const isAbsent = absence !== null
  const wasAbsent = useRef(isAbsent)
  useEffect(() => { if (failed !== null) void machines.list.refresh() }, [failed])
  useEffect(() => {
    if (wasAbsent.current && !isAbsent) onBack()
    wasAbsent.current = isAbsent
  }, [isAbsent])
  const isWriting = openDialogs.value.length > 0
  if (absence !== null && !isWriting) {
    return (
      <EmptyState icon={Unplug} title={sayFolderAbsence(visible(name), absence)}>{screenWords.value.machines.absent.folderNote}</EmptyState>
    )
  }
  return list === undefined && error.value === null ? <div class='side-padded'><Skeleton lines={6} /></div> : <>{children}</>
}
