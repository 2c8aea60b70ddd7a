import qrcode from 'qrcode-generator'
import { useMemo } from 'preact/hooks'
import { isReachable } from '../core/reachable.js'
import { Dialog } from '../ui/Dialog.js'
import { screenWords } from '../words/index.js'
import './palette.css'

/** So many modules stay empty around the code, as its standard wants. */
const quiet = 4

/** The address of what is looked at as a code for a phone's camera, or why a phone could not open it. */
export function OnPhone ({ onClose }: { onClose: () => void }) {
  const w = screenWords.value.palette
  const { href, hostname } = location
  return (
    <Dialog open onClose={onClose} title={w.phoneTitle} size='small'>
      {isReachable(hostname) ? <><Code text={href} /><p class='phone-address'>{href}</p><p>{w.phoneScan}</p></> : <p>{w.phoneLocal}</p>}
    </Dialog>
  )
}

function Code ({ text }: { text: string }) {
  const { path, size } = useMemo(() => drawn(text), [text])
  return (
    <svg class='phone-code' viewBox={`0 0 ${size} ${size}`} role='img' aria-label={text} shape-rendering='crispEdges'>
      <rect class='phone-ground' width={size} height={size} />
      <path class='phone-dots' d={path} />
    </svg>
  )
}

function drawn (text: string): { path: string, size: number } {
  const code = qrcode(0, 'M')
  code.addData(text)
  code.make()
  const count = code.getModuleCount()
  const places = Array.from({ length: count }, (_, place) => place)
  const path = places.flatMap((y) => places.filter((x) => code.isDark(y, x)).map((x) => `M${x + quiet} ${y + quiet}h1v1h-1z`)).join('')
  return { path, size: count + 2 * quiet }
}
