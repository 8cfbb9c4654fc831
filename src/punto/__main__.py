from punto.cli import main

main()
