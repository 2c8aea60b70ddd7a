export const composer = {
}
