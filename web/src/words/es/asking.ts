import { type Words } from '../en/index.js'

export const asking: Words['asking'] = {
  asks: (action) => `¿${action}?`,
  title: {
    create: (file) => `Crear ${file}`,
    edit: (file) => `Editar ${file}`,
    write: (file) => `Escribir ${file}`,
    createTask: (name) => `Crear la tarea «${name}»`,
    editTask: (name) => `Cambiar la tarea «${name}»`,
    pauseTask: (name) => `Pausar la tarea «${name}»`,
    resumeTask: (name) => `Reanudar la tarea «${name}»`,
    deleteTask: (name) => `Eliminar la tarea «${name}»`,
    command: 'Ejecutar este comando',
    request: (method, host) => method === 'GET' ? `Cargar una página de ${host}` : `Enviar una petición ${method} a ${host}`,
    mcp: (tool, server) => `Usar ${tool} de ${server}`,
    sampling: (server) => `Dejar que ${server} pregunte al modelo`,
    instructions: 'Seguir las instrucciones cambiadas',
    budget: 'Continuar por encima del presupuesto',
    memory: 'Cambiar la memoria',
    skills: 'Guardar esta skill',
    schedules: 'Cambiar las tareas',
    readOutside: 'Leer fuera del espacio de trabajo',
    readProtected: 'Leer archivos protegidos',
    other: 'Permitir esto'
  },
  late: 'Ya se respondió en otro lugar.'
}
