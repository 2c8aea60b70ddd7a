export const offline = {
}
