import { Button } from '../ui/Button.js'
import { PanelRight } from '../ui/icons.js'
import { isDesk } from '../ui/screen.js'
import { words } from '../words/index.js'
import { openSide, sideTab } from './open.js'

/** Opens the panel; placed in the header of the conversation. A panel beside the conversation has its close button in the same place. */
export function SideToggle () {
  const isOpen = sideTab.value !== null
  if (isOpen && isDesk.value) return null
  return (
    <Button
      kind='quiet' icon={PanelRight} label={words.value.shell.openSide} aria-expanded={isOpen} class='side-toggle'
      onClick={() => openSide()}
    />
  )
}
