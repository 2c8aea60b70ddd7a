import { lazy } from '../ui/lazy.js'
import { overlay, palette } from './palette.js'
import { projectsDialog } from './projects.js'

const quiet = { waiting: null, missing: () => null }
const Palette = lazy(async () => (await import('../palette/Palette.js')).Palette, quiet)
const Shortcuts = lazy(async () => (await import('../palette/Shortcuts.js')).Shortcuts, quiet)
const ProjectsDialog = lazy(async () => (await import('./ProjectsDialog.js')).ProjectsDialog, quiet)
const OnPhone = lazy(async () => (await import('../palette/OnPhone.js')).OnPhone, quiet)

/** The layers that may lie over every screen, loaded on first use. */
export function Overlays () {
  const close = (): void => { overlay.value = null }
  return (
    <>
      {palette.value ? <Palette onClose={() => { palette.value = false }} /> : null}
      {projectsDialog.value === null
        ? null
        : <ProjectsDialog sessionId={projectsDialog.value.sessionId} onClose={() => { projectsDialog.value = null }} />}
      {overlay.value === 'shortcuts' ? <Shortcuts onClose={close} /> : null}
      {overlay.value === 'phone' ? <OnPhone onClose={close} /> : null}
    </>
  )
}
