import qrcode from 'qrcode-generator'
import { useMemo } from 'preact/hooks'
import './qr-code.css'

/** The empty border in modules, as the standard requires. */
const quiet = 4

/** Shows a text as a QR code. `label`: the name for screen readers, if it is not the text. */
export function QrCode ({ text, label = text }: { text: string, label?: string }) {
  const { path, size } = useMemo(() => drawn(text), [text])
  return (
    <svg class='qr-code' viewBox={`0 0 ${size} ${size}`} role='img' aria-label={label} shape-rendering='crispEdges'>
      <rect class='qr-ground' width={size} height={size} />
      <path class='qr-dots' d={path} />
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
