import { type Words } from '../en/index.js'

const messages = (count: number): string => count === 1 ? '1 mensaje espera' : `${count} mensajes esperan`
const joined = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} y ${parts.at(-1) ?? ''}`
const named = (before: string, name: string | null, after = ''): string => name === null ? `${before}${after}` : `${before} (${name})${after}`

export const away: Words['away'] = {
  all: 'Ver todo',
  later: 'A continuación',
  empty: 'Nada en curso, en espera ni terminado',
  emptyText: 'Aquí aparece lo que hace el agente mientras no estás.',
  counted: {
    waiting: (count) => count === 1 ? '1 te espera' : `${count} te esperan`,
    running: (count) => `${count} en curso`,
    queued: (count) => `${count} en cola`,
    ended: (count) => count === 1 ? '1 terminado' : `${count} terminados`
  },
  listed: (parts) => `${joined(parts)}.`,
  works: 'El agente está trabajando.',
  parked: (provider, when) => when === null
    ? `${provider} está en su límite. El turno espera a que decidas cómo continúa.`
    : `${provider} está en su límite (hasta: ${when}). Después el turno continúa automáticamente.`,
  decide: 'Decidir',
  cannotContinue: (provider) => `El turno no pudo continuar con ${provider} y espera a que decidas cómo continúa.`,
  worksOn: (what) => `Trabaja en: ${what}`,
  stop: 'Detener',
  stopIt: (title) => `Detener «${title}»`,
  silent: (span, cause) => `Sin actividad desde hace ${span}: ${cause}.`,
  causes: {
    model: (name) => `${name ?? 'el modelo'} aún no ha respondido`,
    command: (line) => named('un comando se ejecuta sin mostrar nada', line),
    tool: (name) => named('una herramienta aún no ha respondido', name),
    sub_agent: () => 'un subagente está trabajando',
    person: () => 'espera tu respuesta'
  },
  behind: (count) => `${messages(count)} a que termine el turno anterior y ${count === 1 ? 'empieza' : 'empiezan'} automáticamente.`,
  notBefore: (count, when) => `${messages(count)} (hasta: ${when}).`,
  held: (count, reason) => {
    if (reason === 'waiting') return `${messages(count)} a que termine el turno en curso, que espera tu respuesta.`
    if (reason === 'limit') return `${messages(count)} a que termine el turno en curso, que espera a su proveedor.`
    const why: Readonly<Record<string, string>> = {
      failed: 'el turno anterior falló', cancelled: 'detuviste el turno anterior', budget: 'se agotó el presupuesto',
      restored: 'se restauró una copia de seguridad'
    }
    return `${messages(count)} tu decisión: ${why[reason] ?? 'la cola está detenida'}.`
  },
  runs: 'Empiezan cuando termine uno de los que están en curso.',
  next: (when) => `Próxima ejecución: ${when}.`
}
