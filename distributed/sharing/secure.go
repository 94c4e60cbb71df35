package sharing

// secureName is the transport of workers that are processes of their own.
const secureName = "secure"
