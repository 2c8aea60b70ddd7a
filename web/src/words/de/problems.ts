import { type Words } from '../en/index.js'

export const problems: Words['problems'] = {
  cut: {
    length: 'Die Antwort hat ihre maximale Länge erreicht.',
    content_filter: 'Der Anbieter hat diese Antwort abgeschnitten. Formuliere die Frage anders, oder wähle ein anderes Modell.',
    budget_exhausted: 'Das Budget ist aufgebraucht. Sende „continue“, um noch einmal gefragt zu werden, oder ändere es unter „Verbrauch“.',
    other: 'Die Antwort ist unvollständig.'
  },
  goOn: 'Weiter',
  toModels: 'Unter „Modelle“ prüfen',
  toAgents: 'In den Einstellungen unter „Berechtigungen“ prüfen',
  labelled: (label) => `${label}.`,
  label: {
    rate_limit: 'Anfragelimit erreicht',
    quota_exhausted: 'Kontingent aufgebraucht',
    auth_mismatch: 'Nicht akzeptiert',
    model_not_found: 'Modell nicht gefunden',
    mode_not_allowed: 'Nicht erlaubt',
    no_response: 'Keine Antwort',
    answer_too_large: 'Antwort zu lang',
    compression_exhausted: 'Chat zu lang',
    format_missed: 'Falsches Format',
    unsupported: 'Nicht unterstützt',
    interrupted: 'Unterbrochen',
    cancelled: 'Gestoppt',
    error: 'Fehler'
  },
  said: {
    auth_mismatch: (provider) => `${provider} hat den Schlüssel abgelehnt.`,
    quota_exhausted: (provider) => `Das Kontingent des Kontos bei ${provider} ist aufgebraucht.`,
    rate_limit: (provider) => `${provider} nimmt gerade keine weiteren Anfragen an.`,
    model_not_found: (provider, model) => `${provider} kennt das Modell ${model} nicht.`,
    no_response: (provider) => `${provider} hat nicht geantwortet, oder mitten in der Antwort abgebrochen.`
  },
  next: {
    rate_limit: 'Warte einen Moment und versuche es noch einmal.',
    quota_exhausted: 'Lade beim Anbieter Guthaben auf, oder wähle einen anderen.',
    auth_mismatch: 'Prüfe den Schlüssel dieses Anbieters.',
    model_not_found: 'Wähle ein anderes Modell.',
    mode_not_allowed: 'Wähle einen anderen Modus, oder erlaube diesen.',
    no_response: 'Prüfe, ob der Anbieter läuft und erreichbar ist, und versuche es noch einmal.',
    answer_too_large: 'Was bis dahin kam, ist noch da. Frage nach weniger auf einmal.',
    compression_exhausted: 'Beginne einen neuen Chat, oder wähle ein Modell mit größerem Kontext.',
    format_missed: 'Versuche es noch einmal, oder wähle ein anderes Modell.',
    unsupported: 'Wähle ein anderes Modell.',
    interrupted: 'Was bis dahin geschrieben wurde, ist noch da. Versuche es noch einmal.',
    cancelled: 'Du kannst es noch einmal versuchen.',
    error: 'Versuche es noch einmal, oder wähle ein anderes Modell.'
  }
}
