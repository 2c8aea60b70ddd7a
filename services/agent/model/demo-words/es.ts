import { code, type DemoWords, formula } from './words.js'

export const es: DemoWords = {
  asks: {
    change: /^mu[eé]strame un cambio/i, question: /^mu[eé]strame una pregunta/i, long: /^mu[eé]strame una respuesta larga/i,
    task: /^mu[eé]strame una tarea/i
  },
  notice: 'Esta respuesta la escribieron reglas fijas, no un modelo de IA.',
  notUnderstood: `No entiendo texto libre, pero puedo mostrarte cómo es trabajar aquí:

- un cambio que apruebas
- una pregunta que respondes
- una respuesta larga con tabla y código
- una tarea que se ejecuta cada mañana

Elige una opción o envía sus palabras, como «Muéstrame una pregunta». En cuanto conectes un modelo, responderá a todo lo que escribas.`,
  failed: (quoted) => `Eso no funcionó:\n\n${quoted}`,
  change: {
    begin: 'Llevo una pequeña lista de equipaje en la carpeta de este chat. Primero miro qué hay, y para eso no hace falta permiso.',
    file: '# Lista de equipaje\n\n- [ ] Pasaporte\n- [ ] Cargador\n- [ ] Chubasquero\n',
    make: 'Ahora escribo la lista. La tarjeta muestra el archivo entero; no se escribe nada hasta que lo permitas.',
    made: 'La lista ya está. Ahora marco su primer punto: la tarjeta muestra la línea antes y después.',
    again: 'Marco el punto siguiente. La tarjeta muestra qué cambia; no se escribe nada hasta que lo permitas.',
    done: 'Listo: `demo-list.md` ha cambiado. **Deshacer**, abajo, lo revierte, y **Revisar** muestra qué ha cambiado.\n\n' +
      'Un modelo trabaja igual: propone, tú ves el propio cambio y decides.',
    denied: 'Lo denegaste, así que no se escribió nada. Un modelo buscaría ahora otro camino o te preguntaría.'
  },
  question: {
    begin: 'A veces solo tú sabes la respuesta. Entonces el trabajo se para y pregunta.',
    question: 'En tus copias de seguridad caben 7 o 30 días. ¿Cuántos conservo?',
    choices: ['7 días', '30 días'],
    answered: (answer) => `Respondiste **${answer}**, así que seguiría con eso.\n\n` +
      'Una pregunta aparece también en la bandeja y en tu teléfono, y puedes responder con tus propias palabras. Si no hay respuesta a tiempo, ' +
      'el trabajo sigue con una suposición y dice cuál.',
    nobody: 'Nadie respondió a tiempo, así que seguiría con el plazo más largo: con él no se pierde nada.'
  },
  long: `## En qué se convierten 100 al mes

Aparta 100 cada mes al 4 % anual y, cuanto más esperes, más trabajo hace el interés compuesto:

| Años | Aportado | Ahorrado | De ello, intereses |
|---:|---:|---:|---:|
| 5 | 6.000 | 6.630 | 10 % |
| 10 | 12.000 | 14.725 | 19 % |
| 20 | 24.000 | 36.677 | 35 % |
| 30 | 36.000 | 69.405 | 48 % |

### De dónde salen las cifras

Con una aportación $d$ cada mes, un tipo mensual $i$ y $n$ meses:

${formula}

Lo mismo en JavaScript; el botón de la esquina lo copia:

${code}

### Antes de fiarte

1. **Los precios también suben.** Con una inflación del 2 %, 69.405 compran dentro de 30 años lo que hoy compran unos 38.000.
2. **Los tipos cambian.** Medio punto más o menos mueve la última fila en torno a un 9 %.
3. **Las comisiones** cuentan como un tipo más bajo.

> Un modelo escribe respuestas como esta a tus propias preguntas, y puede ponerte la tabla en un archivo.`,
  task: {
    begin: 'Una tarea se ejecuta sola a sus horas. Primero miro si ya existe.',
    name: 'Buenos días',
    prompt: 'Da los buenos días y nombra una cosa pequeña que hoy merezca la pena.',
    make: 'No existe. La tarjeta muestra qué hará y cuándo se ejecuta la próxima vez.',
    done: 'La tarea ya está y se ejecuta cada mañana a las 8:00. **Tareas** muestra sus próximas ejecuciones y sus resultados; ' +
      'allí puedes pausarla, cambiarla con tus propias palabras o eliminarla.\n\nPara terminar esta demostración, abre **Tareas**, luego *Buenos días*, y elimínala.',
    exists: 'Ya existe: *Buenos días*, cada mañana a las 8:00. Abre **Tareas** para ver sus próximas ejecuciones, ejecutarla ahora, pausarla o eliminarla.',
    denied: 'Lo denegaste, así que no hay tarea. También puedes crear una tú, con palabras sencillas, en **Tareas**.',
    run: '¡Buenos días! Una cosa pequeña para hoy: conecta un modelo en **Modelos**, y esta tarea dirá algo nuevo cada día.'
  }
}
