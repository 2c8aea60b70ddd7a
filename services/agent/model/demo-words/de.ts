import { code, type DemoWords, formula } from './words.js'

export const de: DemoWords = {
  asks: { change: /^zeig mir eine änderung/i, question: /^zeig mir eine frage/i, long: /^zeig mir eine lange antwort/i, task: /^zeig mir eine aufgabe/i },
  notice: 'Diese Antwort folgt festen Regeln, sie ist von keinem KI-Modell.',
  notUnderstood: `Freien Text verstehe ich nicht, aber ich kann dir zeigen, wie sich die Arbeit hier anfühlt:

- eine Änderung, die du erlaubst
- eine Frage, die du beantwortest
- eine lange Antwort mit Tabelle und Code
- eine Aufgabe, die jeden Morgen läuft

Wähle eine, oder sende ihre Worte, etwa „Zeig mir eine Frage“. Sobald du ein Modell verbindest, antwortet es auf alles, was du schreibst.`,
  failed: (quoted) => `Das hat nicht geklappt:\n\n${quoted}`,
  change: {
    begin: 'Ich führe im Ordner dieses Chats eine kleine Packliste. Zuerst sehe ich nach, was da ist; das braucht keine Erlaubnis.',
    file: '# Packliste\n\n- [ ] Reisepass\n- [ ] Ladegerät\n- [ ] Regenjacke\n',
    make: 'Jetzt schreibe ich die Liste. Die Karte zeigt die ganze Datei; nichts wird geschrieben, bis du es erlaubst.',
    made: 'Die Liste ist da. Jetzt hake ich den ersten Punkt ab: Die Karte zeigt die Zeile vorher und nachher.',
    again: 'Ich hake den nächsten Punkt ab. Die Karte zeigt, was sich ändert; nichts wird geschrieben, bis du es erlaubst.',
    done: 'Fertig: `demo-list.md` ist geändert. **Rückgängig** unten nimmt es zurück, und **Durchsehen** zeigt, was sich geändert hat.\n\n' +
      'Ein Modell arbeitet genauso: Es schlägt vor, du siehst die Änderung selbst, und du entscheidest.',
    denied: 'Du hast abgelehnt, also wurde nichts geschrieben. Ein Modell würde jetzt einen anderen Weg suchen oder dich fragen.'
  },
  question: {
    begin: 'Manchmal weißt nur du die Antwort. Dann hält die Arbeit an und fragt.',
    question: 'Deine Backups haben Platz für 7 oder für 30 Tage. Wie viele soll ich aufheben?',
    choices: ['7 Tage', '30 Tage'],
    answered: (answer) => `Du hast **${answer}** geantwortet, damit würde ich also weitermachen.\n\n` +
      'Eine Frage steht auch im Eingang und auf deinem Telefon, und du kannst mit eigenen Worten antworten. Ohne rechtzeitige Antwort geht ' +
      'die Arbeit mit einer Annahme weiter und sagt, mit welcher.',
    nobody: 'Niemand hat rechtzeitig geantwortet, also würde ich mit der längeren weitermachen: Dabei geht nichts verloren.'
  },
  long: `## Was aus 100 im Monat wird

Lege jeden Monat 100 zu 4 % im Jahr zurück, und je länger du wartest, desto mehr leistet der Zinseszins:

| Jahre | Eingezahlt | Gespart | Davon Zinsen |
|---:|---:|---:|---:|
| 5 | 6.000 | 6.630 | 10 % |
| 10 | 12.000 | 14.725 | 19 % |
| 20 | 24.000 | 36.677 | 35 % |
| 30 | 36.000 | 69.405 | 48 % |

### Woher die Zahlen kommen

Mit einer Einzahlung $d$ im Monat, einem Monatszins $i$ und $n$ Monaten:

${formula}

Dasselbe in JavaScript; der Knopf in der Ecke kopiert es:

${code}

### Bevor du dich darauf verlässt

1. **Auch Preise steigen.** Bei 2 % Inflation kauft man in 30 Jahren mit 69.405, was heute etwa 38.000 kostet.
2. **Zinsen ändern sich.** Ein halbes Prozent mehr oder weniger verschiebt die letzte Zeile um etwa 9 %.
3. **Gebühren** wirken wie ein niedrigerer Zins.

> Ein Modell schreibt solche Antworten auf deine eigene Frage und kann dir die Tabelle in eine Datei legen.`,
  task: {
    begin: 'Eine Aufgabe läuft zu ihren Zeiten von selbst. Zuerst sehe ich nach, ob es sie schon gibt.',
    name: 'Guten Morgen',
    prompt: 'Sag guten Morgen und nenne eine Kleinigkeit, die sich heute lohnt.',
    make: 'Es gibt sie noch nicht. Die Karte zeigt, was sie tun wird und wann sie das nächste Mal läuft.',
    done: 'Die Aufgabe ist da und läuft jeden Morgen um 8:00. **Aufgaben** zeigt ihre nächsten Läufe und ihre Ergebnisse; ' +
      'dort kannst du sie pausieren, mit eigenen Worten ändern oder löschen.\n\nUm diese Vorführung zu beenden: Öffne **Aufgaben**, dann *Guten Morgen*, und lösche sie.',
    exists: 'Es gibt sie schon: *Guten Morgen*, jeden Morgen um 8:00. Öffne **Aufgaben**, um ihre nächsten Läufe zu sehen, sie jetzt auszuführen, zu pausieren oder zu löschen.',
    denied: 'Du hast abgelehnt, also gibt es keine Aufgabe. Du kannst unter **Aufgaben** auch selbst eine anlegen, in einfachen Worten.',
    run: 'Guten Morgen! Eine Kleinigkeit für heute: Verbinde unter **Modelle** ein Modell, dann sagt diese Aufgabe jeden Tag etwas Neues.'
  }
}
